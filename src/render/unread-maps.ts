/**
 * Leaves out the maps whose variable nothing reads: each costs a test of the text and a reload alike, because nginx makes room for ten thousand
 * keys, and each request memory for one more variable. Only a map whose template says `ifRead` may go, and of those that users may name none
 * does: records name variables too, and are not in the text. Any mention of the name in the rest of the text counts as reading it; what a
 * snippet includes may read all of them.
 */
import { Token } from "./token.ts";

const ifRead = String(Token.gaps.ifRead);
const mapIfRead = new RegExp(`^ *map \\S+ \\$${ifRead}(\\w+) .*\\n`, "gm");
const readsElsewhere = /\binclude\s|_by_lua_file\s/;

export function withoutUnreadMaps(text: string): string {
  const maps = [...text.matchAll(mapIfRead)].map(([line, name = ""]) => ({ line, name }));
  if (maps.length === 0) return text;
  const rest = text.replace(mapIfRead, "");
  const isAsked = readsElsewhere.test(rest) ? () => true : asked(maps, rest);
  return text.replace(mapIfRead, (line, name: string) => (isAsked(name) ? line.replace(ifRead, "") : ""));
}

/** Those that the rest mentions, and those that they ask themselves, each of which is above the one that asks. */
function asked(maps: readonly { readonly line: string; readonly name: string }[], rest: string) {
  const mention = new RegExp(`\\b(?:${maps.map(({ name }) => name).join("|")})\\b`, "g");
  const names = new Set(rest.match(mention));
  for (const { line, name } of maps.toReversed())
    if (names.has(name)) for (const other of line.match(mention) ?? []) names.add(other);
  return (name: string) => names.has(name);
}
