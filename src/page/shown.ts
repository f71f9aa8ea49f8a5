/**
 * Texts of strangers as the page shows them: on one line, and without the passwords that may stand
 * in URLs.
 */
import { visible } from "../visible.ts";

/** Leaves out users, passwords and queries of URLs. */
export function withoutCredentials(text: string): string {
  return text.replace(/(\w+:\/\/)[^\s/@"]*@/g, "$1…@").replace(/(\w+:\/\/[^\s?"]*\?)[^\s"]+/g, "$1…");
}

/** `text` on one line, at most so long, and without credentials. */
export function shown(text: string, longest: number): string {
  const open = withoutCredentials(text);
  return visible(open.length > longest ? `${open.slice(0, longest)}…` : open);
}
