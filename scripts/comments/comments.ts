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
  const { line: start, block } = notations[extension] ?? {};
  let isOpen = false;
  for (const [at, text] of source.split("\n").entries()) {
    const trimmed = text.trimStart();
    const opens = block !== undefined && trimmed.startsWith(block[0]);
    if (!isOpen && !opens && !(start !== undefined && trimmed.startsWith(start))) continue;
    found.push({ line: at + 1, text });
    if (isOpen || opens) isOpen = !trimmed.includes(block![1]);
  }
  return found;
}

interface Notation {
  readonly line?: string;
  readonly block?: readonly [begin: string, end: string];
}

const ofJavaScript: Notation = { line: "//", block: ["/*", "*/"] };
const notations: Readonly<Record<string, Notation>> = {
  ts: ofJavaScript,
  mjs: ofJavaScript,
  js: ofJavaScript,
  c: ofJavaScript,
  h: ofJavaScript,
  lua: { line: "--" },
  sh: { line: "# " },
  tmpl: { line: "# ", block: ["{{!--", "--}}"] },
  tpl: { line: "# ", block: ["{{/*", "*/}}"] },
};
