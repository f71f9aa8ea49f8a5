/**
 * Indents nginx's text by the depth of its braces, because partials and locations are rendered
 * without the block around them. Quoted words of several lines stay unchanged: their white space
 * belongs to them. If the source map has a note (`source-map.ts`), the end of its block is
 * marked.
 */

const noteEnd = "\u0004";
/** Begins a note that ends with its line. */
const lineMark = "\u0003listen%20";
/** Marks the end of a noted block. */
const blockEnd = "\u0005";

export function indented(text: string): string {
  const lines: string[] = [];
  let depth = 0;
  let quote = "";
  /** Depths of the open noted blocks. */
  const noted: number[] = [];
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
    for (let at = line.indexOf(noteEnd); at >= 0; at = line.indexOf(noteEnd, at + 1)) {
      // A block on one line has ended already, so the depth after it is that of the block around
      // it.
      const isLine = line.slice(0, at).includes(lineMark);
      if (isLine || (opened > 0 && opened === closed)) lines[lines.length - 1] += blockEnd;
      else noted.push(depth);
    }
    while (noted.length > 0 && depth < noted.at(-1)!) {
      noted.pop();
      lines[lines.length - 1] += blockEnd;
    }
  }
  return `${lines.join("\n")}\n`;
}

/**
 * Counts the braces of one line outside of quotes and comments, and returns the quote that is open
 * at its end.
 */
function braces(line: string, quote: string): { opened: number; closed: number; left: string } {
  let [opened, closed, left] = [0, 0, quote];
  for (let at = 0; at < line.length; at++) {
    const sign = line[at]!;
    if (sign === "\\") at++;
    else if (left !== "") left = sign === left ? "" : left;
    else if (sign === "#" && /^\s?$/.test(line.slice(at - 1, at))) break;
    else if ((sign === '"' || sign === "'") && /^[\s({,=]?$/.test(line.slice(at - 1, at))) left = sign;
    else if (sign === "{" && line[at - 1] !== "$") opened++;
    else if (sign === "{") at = endOfName(line, at + 1);
    else if (sign === "}") closed++;
  }
  return { opened, closed, left };
}

/**
 * Returns the position of the closing brace of `${name`, whose name begins at `from`. If there
 * is none, it is the position before `from`.
 */
function endOfName(line: string, from: number): number {
  let at = from;
  while (/^\w$/.test(line.charAt(at))) at++;
  return line[at] === "}" ? at : from - 1;
}
