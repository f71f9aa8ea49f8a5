/**
 * Indents nginx's text by the depth of its braces, since partials and locations are rendered apart from the block they
 * stand in. Words in quotes that go over several lines stay as they are: their white space is part of them.
 */

export function indented(text: string): string {
  const lines: string[] = [];
  let depth = 0;
  let quote = "";
  for (const line of text.split("\n")) {
    const begun = quote !== "";
    const { opened, closed, left } = braces(line, quote);
    const shown = begun ? line : line.trim();
    const outdent = /^\}/.test(shown) ? 1 : 0;
    if (begun) lines.push(line);
    else if (shown !== "")
      lines.push("    ".repeat(Math.max(0, depth - outdent)) + (left === "" ? shown : line.trimStart()));
    depth += opened - closed;
    quote = left;
  }
  return `${lines.join("\n")}\n`;
}

/** The braces of one line outside quotes and comments, and the quote that is open at its end. */
function braces(line: string, quote: string): { opened: number; closed: number; left: string } {
  let [opened, closed, left] = [0, 0, quote];
  for (let at = 0; at < line.length; at++) {
    const sign = line[at]!;
    if (sign === "\\") at++;
    else if (left !== "") left = sign === left ? "" : left;
    else if (sign === "#" && /^\s*$|\s$/.test(line.slice(0, at))) break;
    else if ((sign === '"' || sign === "'") && /^$|[\s({,=]$/.test(line.slice(0, at))) left = sign;
    else if (sign === "{" && line[at - 1] !== "$") opened++;
    else if (sign === "}" && !isVariable(line, at)) closed++;
  }
  return { opened, closed, left };
}

/** Whether the brace at `at` ends `${name`. */
function isVariable(line: string, at: number): boolean {
  return /\$\{\w*$/.test(line.slice(0, at));
}
