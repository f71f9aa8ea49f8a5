/**
 * Finds the comments of a source file, line by line. This needs no parser, because in this code
 * base a comment always has its line for itself.
 */

export interface CommentLine {
  /** Counted from 1. */
  readonly line: number;
  readonly text: string;
}

/** Returns the lines that are comments; `extension` is that of the file, without a dot. */
export function commentLines(source: string, extension: string): readonly CommentLine[] {
  const found: CommentLine[] = [];
  let open = false;
  for (const [at, text] of source.split("\n").entries()) {
    const trimmed = text.trimStart();
    const starts = beginnings[extension] ?? [];
    if (!open && !starts.some((start) => trimmed.startsWith(start))) continue;
    found.push({ line: at + 1, text });
    if (trimmed.startsWith("/*") && !trimmed.includes("*/")) open = true;
    if (open && trimmed.includes("*/")) open = false;
  }
  return found;
}

const beginnings: Readonly<Record<string, readonly string[]>> = {
  ts: ["//", "/*"],
  mjs: ["//", "/*"],
  js: ["//", "/*"],
  lua: ["--"],
  sh: ["#"],
};
