/** Paths of routes as words of nginx.conf. */
import { groupsOf } from "./pattern-groups.ts";
import { Token } from "./token.ts";

/**
 * How many bytes a word in quotes may have in nginx.conf: nginx takes none that fills its buffer of
 * 4096 with what stands around it.
 */
export const longestWord = 4093;

/**
 * How many bytes the longest word has that a path may become in a text: `$` and what is special in
 * a pattern take more than one.
 */
export function longestWordOf(path: string): number {
  const words = [
    Token.word(path),
    Token.word(`^${escapeRegex(path)}(?:/|\\z)`),
    // with use-regex; without the names of its groups it may be longer by an escape for each sign
    Token.word(`(*LIMIT_MATCH=500000)(?i)${groupsOf(path).text}`),
    // where a request without the last slash is redirected to
    ...(path.endsWith("/")
      ? [Token.variables(`${escapedPath(path).replaceAll("$", "%24")}$is_args$args`, () => true)]
      : []),
  ];
  // without the quotes
  return Math.max(...words.map((word) => Buffer.byteLength(String(word)) - 2));
}

/** As nginx escapes the path of a location when it redirects to it with a slash. */
export function escapedPath(path: string): string {
  return [...Buffer.from(path)]
    .map((byte) =>
      byte > 0x20 && byte < 0x7f && !'"%<>\\^`{|}?#'.includes(String.fromCharCode(byte))
        ? String.fromCharCode(byte)
        : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`,
    )
    .join("");
}

export function escapeRegex(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}
