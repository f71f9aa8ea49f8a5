/**
 * Leaves out variables that nothing reads: a map costs a test of the text and a reload alike,
 * because nginx makes room for ten thousand keys, and each variable costs a request memory. Only
 * where the template says `ifRead` may one go. Any mention of the name in the rest of the text
 * counts as reading it, but for a `set`; what a snippet includes may read all of them, and so may a
 * Lua module that it requires. Records of `dynamic` mode name variables too, and are not in the
 * text: so what users may name is never marked there.
 */
import { Token } from "../../directives/token.ts";

const mark = String(Token.gaps.ifRead);
const lineIfRead = new RegExp(`^ *(?:map (?:"[^"]*"|\\S+) |set )\\$${mark}(\\w+) .*\\n`, "gm");
/** The template's own modules read none but those that it never marks. */
const ownModule = /\s*\(["'](?:sluice\.|resty\.core["'])/;
const readsElsewhere = new RegExp(
  `\\binclude\\s|_by_lua_file\\s|\\b(?:require|dofile|loadfile)\\b(?!${ownModule.source})`,
);

/** The name of a variable, for a line that stays where something of the whole text reads it. */
export function ifRead(name: string): Token {
  return Token.conf`${Token.gaps.ifRead}${Token.name(name)}`;
}

export interface ReadVariables {
  /** Without the marked lines that nothing reads, and without the marks. */
  readonly text: string;
  /** The unread ones among the marked variables and those asked about. */
  isRead(name: string): boolean;
}

/**
 * `others` are variables to count besides the marked ones. Those of `words` have names that other
 * text has, too: only behind a `$` or `ngx.var.` are they read.
 */
export function withoutUnreadVariables(
  marked: string,
  others: readonly string[] = [],
  words: readonly string[] = [],
): ReadVariables {
  const lines = [...marked.matchAll(lineIfRead)].map(([line, name = ""]) => ({ line, name }));
  const rest = marked.replace(lineIfRead, "");
  const names = new Set([...others, ...lines.map(({ name }) => name)]);
  const read = readsElsewhere.test(rest) ? names : readOf(names, new Set(words), lines, rest);
  const isRead = (name: string): boolean => read.has(name);
  const text = marked.replace(lineIfRead, (line, name: string) => (isRead(name) ? line.replace(mark, "") : ""));
  return { text, isRead };
}

/** Those that the rest reads, and those that they are made of themselves. */
function readOf(
  names: ReadonlySet<string>,
  words: ReadonlySet<string>,
  lines: readonly { readonly line: string; readonly name: string }[],
  rest: string,
): ReadonlySet<string> {
  const patterns = [...names].map((name) => (words.has(name) ? `(?<=\\$\\{?|\\bvar\\.)${name}` : name));
  const reading = new RegExp(`(?<!\\bset \\$)\\b(?:${patterns.join("|")})\\b`, "g");
  const read = new Set(rest.match(reading));
  // A Set goes on to what is added to it on the way.
  for (const name of read)
    for (const { line } of lines.filter((other) => other.name === name))
      for (const other of line.match(reading) ?? []) read.add(other);
  return read;
}
