/**
 * Text of strangers on its way to people: control characters would move a terminal's cursor or end
 * a line of a log, and marks of direction would show a text in another order than it has. They are
 * written as JSON writes them.
 */

/** C0 and C1 controls, DEL, line separators, and the marks that turn the direction of writing. */
const hidden = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;
const hiddenInLines = /(?![\n\t])[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

const escaped = (sign: string): string => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** On one line. */
export function visible(text: string): string {
  return text.replace(hidden, escaped);
}

/** Line breaks and tabs stay. */
export function visibleLines(text: string): string {
  return text.replace(hiddenInLines, escaped);
}
