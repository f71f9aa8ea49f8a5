/** Makes untrusted texts safe for the page: on one line, and without passwords in URLs. */
import { visible } from "../../base/visible.ts";

/**
 * Removes users, passwords and queries of URLs. It reads each word once, because a tenant may write
 * a word of 200,000 letters.
 */
export function withoutCredentials(text: string): string {
  return text.replace(/[^\s"]+/g, (word) => {
    const scheme = word.indexOf("://");
    if (scheme < 0) return word;
    const open = word.replace(/:\/\/[^/?#]*@/g, "://…@");
    const query = open.indexOf("?", scheme);
    return query < 0 || query === open.length - 1 ? open : `${open.slice(0, query + 1)}…`;
  });
}

/** Returns `text` on one line, cut to a length, and without credentials. */
export function shown(text: string, longest: number): string {
  const open = withoutCredentials(text);
  return visible(open.length > longest ? `${open.slice(0, longest)}…` : open);
}
