/**
 * Wraps text to the width of a terminal. A word that is longer than a line gets a line of its own.
 */

import { visible } from "../base/visible.ts";

export interface Indents {
  readonly first: string;
  readonly rest: string;
}

/**
 * Returns the text with line breaks, and with none that a user has written. `width` is in columns.
 * The last line ends with a newline, too.
 */
export function wrapped(text: string, { first, rest }: Indents, width: number): string {
  const lines: string[] = [];
  let line = "";
  for (const word of visible(text.trim()).split(" ")) {
    const indent = lines.length === 0 ? first : rest;
    if (line !== "" && indent.length + line.length + 1 + word.length > width) {
      lines.push(`${indent}${line}`);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  lines.push(`${lines.length === 0 ? first : rest}${line}`);
  return `${lines.join("\n")}\n`;
}
