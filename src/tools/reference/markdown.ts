/** Pieces of Markdown that the reference pages are made of. */

/** Returns a table. Cells may hold Markdown; a `|` in them is escaped. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(" | ")} |\n`;
  return line(head) + line(head.map(() => "---")) + rows.map(line).join("");
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll("\n", " ");
}

/** Returns the page with an outline of its sections, as links, before the first one. */
export function withOutline(page: string): string {
  const links = [...page.matchAll(/^## (.+)$/gm)].map(([, title]) => `- [${title}](#${anchorOf(title!)})\n`);
  return page.replace(/^## /m, () => `${links.join("")}\n## `);
}

/** Returns the anchor that GitHub gives to a heading. */
function anchorOf(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^\w\- ]/g, "")
    .replaceAll(" ", "-");
}

/** Returns `text` as code, or nothing for an empty text. */
export function code(text: string): string {
  if (text === "") return "";
  return text.includes("`") ? `\`\` ${text} \`\`` : `\`${text}\``;
}
