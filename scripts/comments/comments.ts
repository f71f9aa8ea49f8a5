/**
 * Finds the comments of a source file, line by line, without a parser: house style puts nothing
 * before a comment on its line.
 */

export interface CommentLine {
  /** From 1. */
  readonly line: number;
  readonly text: string;
}

/** Lines of comments that stand alone; `extension` is that of the file, without a dot. */
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
