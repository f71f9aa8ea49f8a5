/** Pieces of Markdown that the reference pages are made of. */

/** A table; cells may hold Markdown, a `|` in them is escaped. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(" | ")} |\n`;
  return line(head) + line(head.map(() => "---")) + rows.map(line).join("");
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll("\n", " ");
}

/** `text` as code, or nothing. */
export function code(text: string): string {
  if (text === "") return "";
  return text.includes("`") ? `\`\` ${text} \`\`` : `\`${text}\``;
}
