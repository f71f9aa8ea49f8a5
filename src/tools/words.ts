/** Helpers for the tools' texts. */

/** Returns `1 error`, `2 errors` or `no errors`. */
export function counted(count: number, noun: string): string {
  return `${count === 0 ? "no" : count} ${noun}${count === 1 ? "" : "s"}`;
}

/** Joins the first `most` names, and says how many more there are. */
export function firstOf(names: readonly string[], most: number, between = ", "): string {
  const more = names.length > most ? ` and ${names.length - most} more` : "";
  return `${names.slice(0, most).join(between)}${more}`;
}

/** Returns the terminal's colours, if it has any. */
export function painter(colours: boolean): (text: string, colour: number) => string {
  return (text, colour) => (colours ? `\u001b[${colour}m${text}\u001b[0m` : text);
}

export const red = 31;
export const green = 32;
export const yellow = 33;

/** Returns a function that prints a row, in columns as wide as the widest cell of `rows`. */
export function columns(rows: readonly (readonly string[])[]): (cells: readonly string[]) => string {
  const widths = (rows[0] ?? []).map((_, at) => rows.reduce((most, row) => Math.max(most, row[at]!.length), 0));
  return (cells) =>
    cells
      .map((cell, at) => cell.padEnd(widths[at]!))
      .join("  ")
      .trimEnd();
}
