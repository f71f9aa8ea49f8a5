/**
 * Leaves out variables that nothing reads: a map costs a test of the text and a reload alike, because nginx makes room for ten thousand
 * keys, and each variable costs a request memory. Only where the template says `ifRead` may one go, and of those that users may name
 * none does: records name variables too, and are not in the text. Any mention of the name in the rest of the text counts as reading it; what a
 * snippet includes may read all of them.
 */
import { Token } from "./token.ts";

const mark = String(Token.gaps.ifRead);
/** Labels of a route, which conf.ts leaves out, have no `route_` before them. */
const lineIfRead = new RegExp(`^ *(?:map \\S+ \\$${mark}|set \\$${mark}(?=route_))(\\w+) .*\\n`, "gm");
const readsElsewhere = /\binclude\s|_by_lua_file\s/;

/** The name of a variable, for a line that stays where something of the whole text reads it. */
export function ifRead(name: string): Token {
  return Token.conf`${Token.gaps.ifRead}${Token.name(name)}`;
}

export function withoutUnreadVariables(text: string): string {
  const lines = [...text.matchAll(lineIfRead)].map(([line, name = ""]) => ({ line, name }));
  if (lines.length === 0) return text;
  const rest = text.replace(lineIfRead, "");
  const isAsked = readsElsewhere.test(rest) ? () => true : asked(lines, rest);
  return text.replace(lineIfRead, (line, name: string) => (isAsked(name) ? line.replace(mark, "") : ""));
}

/** Those that the rest mentions, and those that they ask themselves. */
function asked(lines: readonly { readonly line: string; readonly name: string }[], rest: string) {
  const mention = new RegExp(`\\b(?:${lines.map(({ name }) => name).join("|")})\\b`, "g");
  const names = new Set(rest.match(mention));
  for (const { line, name } of lines.toReversed())
    if (names.has(name)) for (const other of line.match(mention) ?? []) names.add(other);
  return (name: string) => names.has(name);
}
