/**
 * Removes variables that nothing reads. A map costs time at each test and reload, because nginx
 * allocates room for ten thousand keys. Each variable also takes memory in every request. Only
 * lines that the template marks with `ifRead` may be removed. Any mention of the name in the rest
 * of the text counts as reading, except a `set`. An included file or a required Lua module may read
 * all of them. Records of `dynamic` mode name variables outside of the text, so variables that
 * users may name are never marked.
 */
import { Token } from "../../tokens/token.ts";

const mark = String(Token.gaps.ifRead);
const lineIfRead = new RegExp(`^ *(?:map (?:"[^"]*"|\\S+) |set )\\$${mark}(\\w+) .*\\n`, "gm");
/** The template's own modules read only variables that it never marks. */
const ownModule = /\s*\(["'](?:sluice\.|resty\.core["'])/;
const readsElsewhere = new RegExp(
  `\\binclude\\s|_by_lua_file\\s|\\b(?:require|dofile|loadfile)\\b(?!${ownModule.source})`,
);

/** Marks the name of a variable, for a line that stays only if the text reads the variable. */
export function ifRead(name: string): Token {
  return Token.conf`${Token.gaps.ifRead}${Token.name(name)}`;
}

export interface ReadVariables {
  /** Returns the text without the marked lines that nothing reads, and without the marks. */
  readonly text: string;
  /**
   * Whether the rest of the text reads the variable, for marked variables and those in `others`.
   */
  isRead(name: string): boolean;
}

/**
 * Removes the lines. `others` are variables to check beside the marked ones. Names in `words` also
 * occur in other text, so they count only after a `$` or `ngx.var.`.
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

/** Returns the variables that the rest reads, and those from which they are made. */
function readOf(
  names: ReadonlySet<string>,
  words: ReadonlySet<string>,
  lines: readonly { readonly line: string; readonly name: string }[],
  rest: string,
): ReadonlySet<string> {
  const patterns = [...names].map((name) => (words.has(name) ? `(?<=\\$\\{?|\\bvar\\.)${name}` : name));
  const reading = new RegExp(`(?<!\\bset \\$)\\b(?:${patterns.join("|")})\\b`, "g");
  const read = new Set(rest.match(reading));
  // Iteration over a Set includes items that are added on the way.
  for (const name of read)
    for (const { line } of lines.filter((other) => other.name === name))
      for (const other of line.match(reading) ?? []) read.add(other);
  return read;
}
