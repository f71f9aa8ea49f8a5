/** A still of a terminal: the output of a command, from a golden file. */
import { escaped, mono } from "./svg.ts";

const row = 19;
const column = 8.1;

/** Draws `text`, which includes the prompt, as a screen. Lines are cut at `columns`. */
export function terminal(title: string, text: string, columns = 118): string {
  const lines = text.split("\n").map((line) => (line.length > columns ? `${line.slice(0, columns - 1)}…` : line));
  const width = Math.ceil(columns * column) + 32;
  const height = lines.length * row + 56;
  const drawn = lines.map((line, i) => {
    const [, name = "", rest = line] = /^( {2}[\w ]+: *)(.*)$/.exec(line) ?? [];
    const prompt = line.startsWith("$ ");
    const spans = prompt ? span("#9ae6b4", line) : `${span("#90cdf4", name)}${span("#e2e8f0", rest)}`;
    return `<text x="16" y="${54 + i * row}" xml:space="preserve" style="${mono};font-size:13.5px">${spans}</text>`;
  });
  const dots = ["#fc8181", "#f6e05e", "#68d391"].map(
    (fill, i) => `<circle cx="${20 + i * 18}" cy="18" r="6" fill="${fill}"/>`,
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">`,
    `<title>${escaped(title)}</title>`,
    `<rect width="${width}" height="${height}" rx="8" fill="#1a202c"/>`,
    ...dots,
    ...drawn,
    "</svg>",
    "",
  ].join("\n");
}

const span = (fill: string, text: string): string =>
  text === "" ? "" : `<tspan fill="${fill}">${escaped(text)}</tspan>`;
