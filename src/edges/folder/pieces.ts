/**
 * Finds the lines of a file that hold one object, so that a place in it is found without parsing
 * the others. It works for ordinary text only (plain-yaml.ts): there a document begins at a line
 * with three dashes, and an item of a block list at a dash with the indentation of the first one.
 * The caller compares the counts, and parses the whole text if they differ.
 */

export interface Piece {
  readonly lines: readonly string[];
  /** The number of lines before it. */
  readonly before: number;
}

/** Returns the documents that are not empty. */
export function documentsIn(text: string): readonly Piece[] {
  const lines = text.split("\n");
  const starts = [0, ...lines.flatMap((line, at) => (at > 0 && /^---(\s|$)/.test(line) ? [at] : []))];
  const pieces = starts.map((start, at) => ({ lines: lines.slice(start, starts[at + 1]), before: start }));
  return pieces.filter((piece) => !piece.lines.every((line) => /^\s*(---|\.\.\.)?\s*(#.*)?$/.test(line)));
}

/**
 * Returns the items of a document like a `List`, each as a document. Returns undefined if they
 * are written in another way.
 */
export function itemsIn({ lines, before }: Piece): readonly Piece[] | undefined {
  const head = lines.findIndex((line) => /^items:\s*(#.*)?$/.test(line));
  const first = lines.findIndex((line, at) => at > head && !isEmpty(line));
  const indent = /^( *)- /.exec(lines[first] ?? "")?.[1]?.length;
  if (head < 0 || indent === undefined) return undefined;
  const isItem = (line: string) => line.startsWith("- ", indent) && line.trimStart().length === line.length - indent;
  const isPast = (line: string) => !isEmpty(line) && !isItem(line) && line.length - line.trimStart().length <= indent;
  const past = lines.findIndex((line, at) => at > first && isPast(line));
  const end = past < 0 ? lines.length : past;
  const starts = lines.flatMap((line, at) => (at >= first && at < end && isItem(line) ? [at] : []));
  return starts.map((start, at) => {
    const [line = "", ...rest] = lines.slice(start, starts[at + 1] ?? end);
    return { lines: [`${line.slice(0, indent)} ${line.slice(indent + 1)}`, ...rest], before: before + start };
  });
}

/** Whether the line is blank or a comment. */
function isEmpty(line: string): boolean {
  return /^\s*(#.*)?$/.test(line);
}
