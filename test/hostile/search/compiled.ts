/**
 * Patterns that nginx compiles, and the names of their groups: each becomes a variable for all
 * hosts at once.
 */
import type { Directive } from "../../support/nginx-tree.ts";

/** Returns each named group in the tree, as `directive name`. */
export function namedGroups(tree: readonly Directive[]): readonly string[] {
  return tree.flatMap((directive) => {
    const { name, block = [] } = directive;
    const own = patternsOf(directive).flatMap((text) => text.match(/\(\?(?:P?<(?![=!])|')[^>')]*/g) ?? []);
    // An entry of a map has its pattern where other directives have their name.
    const entries = /^(?:map|geo)$/.test(name)
      ? block.map(({ name }) => name).filter((key) => key.startsWith("~"))
      : [];
    const ofEntries = entries.flatMap((text) => text.match(/\(\?(?:P?<(?![=!])|')[^>')]*/g) ?? []);
    return [...[...own, ...ofEntries].map((group) => `${name} ${group}`), ...namedGroups(block)];
  });
}

/**
 * Returns the words that nginx reads as patterns: the word after `~`, the first word of a rewrite,
 * and words of some directives that begin with `~`.
 */
function patternsOf({ name, args }: Directive): readonly string[] {
  if (name === "rewrite") return args.slice(0, 1);
  const afterSign = args.filter((_, at) => /^!?~\*?$/.test(args[at - 1] ?? ""));
  const mayBegin = /^proxy_(?:redirect|cookie_)/.test(name) ? args.slice(0, 1) : everyWord.has(name) ? args : [];
  return [...afterSign, ...mayBegin.filter((arg) => arg.startsWith("~"))];
}

const everyWord = new Set(["server_name", "valid_referers", "location"]);
