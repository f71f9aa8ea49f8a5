/** Text of Sluice between the statements of an author's snippet. */

export interface Insertion {
  /** The offset in the author's text. */
  readonly at: number;
  readonly text: string;
  /** The number of the author's characters that it replaces; none if absent. */
  readonly replaces?: number;
}

export function withInsertions(text: string, insertions: readonly Insertion[]): string {
  const parts: string[] = [];
  let written = 0;
  for (const { at, text: added, replaces = 0 } of insertions.toSorted((a, b) => a.at - b.at)) {
    parts.push(text.slice(written, at), added);
    written = at + replaces;
  }
  return parts.join("") + text.slice(written);
}
