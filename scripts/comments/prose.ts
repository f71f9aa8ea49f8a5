/**
 * Finds paragraphs of a page in Markdown with lines over 100 columns, and wraps them. Headings,
 * tables, code and lines that programs read have any width.
 */
import { longestLine } from "./words.ts";

export interface LongLine {
  /** Counted from 1. */
  readonly line: number;
  readonly columns: number;
}

/** Returns the long lines of a page that could be wrapped. */
export function longLines(page: string): readonly LongLine[] {
  const lines = page.split("\n");
  const proseAt = proseIn(lines);
  return lines.flatMap((text, at) =>
    proseAt.has(at) && text.length > longestLine && wrapped([text]).length > 1
      ? [{ line: at + 1, columns: text.length }]
      : [],
  );
}

/**
 * Returns the page with each paragraph wrapped that has a long line. All other paragraphs keep
 * their bytes.
 */
export function wrapPage(page: string): string {
  const lines = page.split("\n");
  const proseAt = proseIn(lines);
  const long = new Set(longLines(page).map(({ line }) => line - 1));
  const result: string[] = [];
  for (let at = 0; at < lines.length; ) {
    let end = at + 1;
    if (proseAt.has(at)) while (proseAt.has(end) && !startsParagraph.test(lines[end]!)) end += 1;
    const paragraph = lines.slice(at, end);
    result.push(...(paragraph.some((_, offset) => long.has(at + offset)) ? wrapped(paragraph) : paragraph));
    at = end;
  }
  return result.join("\n");
}

/** Matches an item of a list, a quotation, or a line that a program reads. */
const startsParagraph = /^\s*(?:[-*+] |\d+[.)] |>|\[[^\]]+\]: )/;
const listItem = /^(\s*)([-*+] |\d+[.)] )/;
const forPrograms = /^(?:concerns|parity|needs work): |^\s*(?:#|\||<|!\[|>|\[[^\]]+\]: )/;
const indented = /^ {4}/;

/** Returns the indexes of lines that belong to paragraphs and items of lists. */
function proseIn(lines: readonly string[]): ReadonlySet<number> {
  const found = new Set<number>();
  let isCode = false;
  for (const [at, text] of lines.entries()) {
    const isFence = text.trimStart().startsWith("```");
    if (isFence) isCode = !isCode;
    const isIndentedCode = indented.test(text) && !found.has(at - 1) && !listItem.test(text);
    if (!isCode && !isFence && !isIndentedCode && text.trim() !== "" && !forPrograms.test(text)) found.add(at);
  }
  return found;
}

/** Wraps the lines of one paragraph anew. Its first line has the indentation and the bullet. */
function wrapped(paragraph: readonly string[]): readonly string[] {
  const [, indent = "", bullet = ""] = listItem.exec(paragraph[0]!) ?? /^(\s*)()/.exec(paragraph[0]!) ?? [];
  const text = paragraph
    .map((line) => line.trim())
    .join(" ")
    .slice(bullet.length);
  const below = " ".repeat(indent.length + bullet.length);
  const result: string[] = [];
  let line = indent + bullet;
  let isEmpty = true;
  for (const word of wordsOf(text)) {
    if (!isEmpty && line.length + 1 + word.length > longestLine) {
      result.push(line);
      [line, isEmpty] = [below, true];
    }
    line += isEmpty ? word : ` ${word}`;
    isEmpty = false;
  }
  return [...result, line];
}

/**
 * Splits a paragraph where lines may break: code in backquotes stays whole, and no line begins like
 * a list.
 */
function wordsOf(text: string): readonly string[] {
  const words: string[] = [];
  for (const word of text.match(/(?:`[^`]*`|[^\s`]|`)+/g) ?? []) {
    if (words.length > 0 && /^(?:[-*+>#]+|\d+[.)])$/.test(word)) words[words.length - 1] += ` ${word}`;
    else words.push(word);
  }
  return words;
}
