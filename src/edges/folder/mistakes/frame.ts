/** Shows the lines around a mistake, as compilers do. */
import type { Place } from "../place.ts";

/** Returns the lines around the place, with a mark under it; none if the text holds a Secret. */
export function frameOf(text: string, { line, column: at }: Place): string | undefined {
  if (/kind["']?[^\S\n]*:\s*["']?Secret\b|stringData/.test(text)) return undefined;
  const lines = text.split("\n");
  const digits = String(line).length;
  const shown = [line - 1, line].filter((one) => one > 0 && (one === line || lines[one - 1]!.trim() !== ""));
  const rows = shown.map(
    (one) => `${one === line ? "> " : "  "}${String(one).padStart(digits)} | ${clipped(lines[one - 1] ?? "")}\n`,
  );
  return `${rows.join("")}  ${" ".repeat(digits)} | ${" ".repeat(Math.min(at - 1, longest))}^\n`;
}

const longest = 140;
const clipped = (line: string): string =>
  line.length > longest ? `${line.slice(0, longest)}…` : line.replaceAll("\t", " ");
