/**
 * Finds the variables that nginx text declares, by a directive like `set` or `map`, or as a named
 * group of a pattern. nginx knows a variable everywhere once any block declares it, so nested
 * blocks count as well.
 */
import { parse, type Statement } from "./grammar.ts";

/** Directives whose first argument is a source and whose second is the variable. */
const second = new Set(["map", "split_clients", "keyval"]);
const first = /^(?:set|set_\w+|\w+_set|js_var)$/;
const group = /\(\?(?:P?<|')([a-z_]\w*)[>']/gi;

/** Returns names without `$`; none if the text cannot be parsed. */
export function variablesDeclaredIn(text: string): readonly string[] {
  const parsed = parse(text);
  return parsed.ok ? declaredIn(parsed.statements) : [];
}

function declaredIn(statements: readonly Statement[]): readonly string[] {
  return [...new Set(statements.flatMap((one) => [...namesOf(one), ...groupsOf(one), ...declaredIn(one.block ?? [])]))];
}

function namesOf({ name, args, block }: Statement): readonly string[] {
  if (name === "geoip2") return (block ?? []).flatMap((one) => variable(one.name));
  if (name === "geo") return variable(args.at(-1));
  if (second.has(name)) return variable(args[1]);
  return first.test(name) ? variable(args[0]) : [];
}

/** Returns the named groups in a statement. In a `map`, each line begins with its pattern. */
function groupsOf({ name, args }: Statement): readonly string[] {
  return [name, ...args].flatMap((word) => [...word.matchAll(group)].map(([, named = ""]) => named));
}

function variable(word: string | undefined): readonly string[] {
  const found = /^\$([a-z_]\w*)$/i.exec(word ?? "")?.[1];
  return found === undefined ? [] : [found];
}
