/** Finds the line whose indentation is wrong, which is often not the line where a parser stops. */
import type { Place } from "../place.ts";
import type { Mistake } from "./mistake.ts";

/** A line that is neither blank nor a comment. */
interface Line {
  readonly number: number;
  readonly text: string;
  readonly depth: number;
}

/**
 * Finds a line near `at`, where the parser stopped, whose indentation is deeper than the line above
 * allows, or fits no line above.
 */
export function misfit(lines: readonly string[], at: Place): Mistake | undefined {
  // The parser may stop at a comment before the line that does not fit.
  const first = hasText(lines[at.line - 1] ?? "") ? at.line : at.line + 1;
  let levels: number[] = [];
  let items: Line[] = [];
  let above: Line | undefined;
  for (const line of linesOf(lines.slice(0, at.line + 1))) {
    const { number, text, depth } = line;
    if (/^---(\s|$)/.test(text)) [levels, items] = [[], []];
    while (items.length > 0 && items.at(-1)!.depth > depth) items.pop();
    const why =
      number < at.line
        ? undefined
        : (belowValue(line, above) ??
          betweenLevels(line, above, levels) ??
          (number === first ? besideItem(line, items.at(-1)) : undefined));
    if (why !== undefined) return { place: { line: number, column: depth + 1 }, why };
    if (isItem(line) && items.at(-1)?.depth !== depth) items.push(line);
    while (levels.length > 0 && levels.at(-1)! > depth) levels.pop();
    if (levels.at(-1) !== depth) levels.push(depth);
    if (isItem(line)) levels.push(depth + 2);
    above = line;
  }
  return undefined;
}

function linesOf(lines: readonly string[]): readonly Line[] {
  return lines.flatMap((text, at) =>
    hasText(text) ? [{ number: at + 1, text, depth: text.length - text.trimStart().length }] : [],
  );
}

const hasText = (text: string): boolean => /^\s*[^\s#]/.test(text);
const isItem = ({ text }: Line): boolean => /^\s*- /.test(text);

/** Returns the column where the key begins, after the dash of a list. */
const columnOf = ({ text }: Line): number => text.search(/[^\s-]/) + 1;

/** A key that is deeper than the line above, which has a value already and so cannot hold keys. */
function belowValue(line: Line, above: Line | undefined): string | undefined {
  if (above === undefined || line.depth <= above.depth || line.depth + 1 === columnOf(above)) return undefined;
  const hasValue = /^\s*(- )?[\w./-]+:\s+[^\s#|>&!]/.test(above.text);
  if (!hasValue || !/^\s*(- |[\w./-]+:(\s|$))/.test(line.text)) return undefined;
  return `line ${line.number} begins in column ${line.depth + 1}, but line ${above.number}, which already has a value, in column ${columnOf(above)}; give both the same indentation`;
}

/** A line that is less deep than the one above, and as deep as none before it. */
function betweenLevels({ number, depth }: Line, above: Line | undefined, levels: readonly number[]) {
  if (above === undefined || depth >= above.depth || levels.includes(depth)) return undefined;
  const known = [...new Set(levels)].sort((a, b) => a - b).join(", ");
  return `line ${number} is indented by ${depth} ${depth === 1 ? "space" : "spaces"}, and the lines around it by ${known}`;
}

/** An item that is deeper than the one before it in the list. */
function besideItem(line: Line, item: Line | undefined): string | undefined {
  if (!isItem(line) || item === undefined || item.depth >= line.depth) return undefined;
  return `line ${line.number} begins an item in column ${line.depth + 1}, but the item of line ${item.number} begins in column ${item.depth + 1}; give both the same indentation`;
}
