/**
 * A drawing of the dashboard for Grafana: its panels with their titles, from docs/dashboards. The
 * figures in it are examples, because a drawing has no cluster behind it.
 */
import { type Box, colours, label, mono, picture, rectangle, sans } from "./svg.ts";

interface Panel {
  readonly type: string;
  readonly title: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
}

const cell = { width: 40, height: 26 };
const margin = 10;
/** The width of a letter in a bold heading, in the widest of the usual fonts. */
const letterWidth = 8.2;

/** Returns the drawing. `shown` is the number of rows of the grid that are drawn, from the top. */
export function dashboard(json: string, shown: number): string {
  const { panels } = JSON.parse(json) as { readonly panels: readonly Panel[] };
  const drawn = panels.filter(({ gridPos }) => gridPos.y + gridPos.h <= shown);
  const width = 24 * cell.width + 2 * margin;
  const title = `The dashboard: ${drawn.map((panel) => panel.title).join(", ")}`;
  return picture(width, shown * cell.height + 2 * margin, title, drawn.map(panelOf));
}

function panelOf({ type, title, gridPos: { x, y, w, h } }: Panel): string {
  const box = {
    x: margin + x * cell.width + 3,
    y: margin + y * cell.height + 3,
    width: w * cell.width - 6,
    height: h * cell.height - 6,
  };
  if (type === "row") return label(box.x, box.y + 16, `▾ ${title}`, `${sans};font-size:14px;font-weight:600`);
  const head = wrapped(title, Math.floor((box.width - 20) / letterWidth)).map((line, i) =>
    label(box.x + 10, box.y + 20 + i * 15, line, `${sans};font-size:12.5px;font-weight:600;fill:${colours.ink}`),
  );
  return [rectangle(box, colours.plain), ...head, bodyOf(type, title, box)].join("\n");
}

function bodyOf(type: string, title: string, box: Box): string {
  if (type === "stat") {
    const figure = title.startsWith("Days") ? "61" : "0";
    const style = `${sans};font-size:30px;font-weight:600;fill:#2f855a`;
    return label(box.x + box.width / 2, box.y + box.height - 16, figure, style, "middle");
  }
  if (type === "table") {
    const rows = ["shop/web", "shop/api", "docs/docs", "blog/blog", "team/wiki"];
    return rows.map((row, i) => rowOf(row, i, box)).join("\n");
  }
  return [0, 1].map((which) => curve(title, which, box)).join("\n");
}

function rowOf(name: string, i: number, box: Box): string {
  const y = box.y + 52 + i * 26;
  const style = `${mono};font-size:12px;fill:${colours.faint}`;
  const bar = { x: box.x + 140, y: y - 11, width: Math.round((box.width - 160) / (i + 1)), height: 14 };
  return `${label(box.x + 10, y, name, style)}\n${rectangle(bar, colours.data, "none")}`;
}

/**
 * Draws a line whose form depends on the title alone, so that the drawing is the same each time.
 */
function curve(title: string, which: number, { x, y, width, height }: Box): string {
  const seed = [...title].reduce((sum, sign) => (sum * 31 + sign.codePointAt(0)!) % 997, 7 + which * 211);
  const points = Array.from({ length: 25 }, (_, i) => {
    const wave = Math.sin((i + seed) / 3) * 0.12 + Math.sin((i * 1.7 + seed) / 2) * 0.06;
    const level = y + height - 14 - (0.25 + which * 0.28 + wave) * (height - 50);
    return `${i === 0 ? "M" : "L"}${(x + 10 + (i * (width - 20)) / 24).toFixed(1)} ${level.toFixed(1)}`;
  });
  const colour = which === 0 ? "#2f855a" : colours.accent;
  return `<path d="${points.join(" ")}" fill="none" stroke="${colour}" stroke-width="1.5"/>`;
}

function wrapped(text: string, columns: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && `${last} ${word}`.length <= columns) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}
