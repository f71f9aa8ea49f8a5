/**
 * Makes untrusted text safe to show. Control characters could move a terminal's cursor or end a
 * line of a log, and direction marks could change the order of a text. They are written as JSON
 * writes them.
 */

/** C0 and C1 controls, DEL, line separators, and marks that change the direction of writing. */
const hidden = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;
const hiddenInLines = /(?![\n\t])[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

const escaped = (sign: string): string => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** Makes text on one line safe. */
export function visible(text: string): string {
  return text.replace(hidden, escaped);
}

/** Makes text safe, but keeps line breaks and tabs. */
export function visibleLines(text: string): string {
  return text.replace(hiddenInLines, escaped);
}
