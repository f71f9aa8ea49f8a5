/** Paths of routes as words of nginx.conf. */
import { groupsOf } from "./pattern-groups.ts";
import { Token } from "./token.ts";

/**
 * The most bytes of a word in quotes in nginx.conf. nginx refuses a longer word, because with its
 * surroundings it fills the buffer of 4096 bytes.
 */
export const longestWord = 4093;

/**
 * Returns the length of the longest word that a path may become in the text: `$` and the special
 * characters of patterns take more than one byte.
 */
export function longestWordOf(path: string): number {
  const words = [
    Token.word(path),
    Token.word(`^${escapeRegex(path)}(?:/|\\z)`),
    // With use-regex. Without the names of its groups it may grow by one escape for each character.
    Token.word(`(*LIMIT_MATCH=4096)(?i)^(?:${groupsOf(path).text})`),
    // The target of the redirect that adds the last slash.
    ...(path.endsWith("/")
      ? [Token.variables(`${escapedPath(path).replaceAll("$", "%24")}$is_args$args`, () => true)]
      : []),
  ];
  // The quotes do not count.
  return Math.max(...words.map((word) => Buffer.byteLength(String(word)) - 2));
}

/** Escapes a path as nginx does when it redirects to add a slash. */
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
