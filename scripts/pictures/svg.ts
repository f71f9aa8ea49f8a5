/** Pieces of SVG for the pictures of the documentation. All text is escaped here. */

/** Each picture has its own background, so these colours are readable on light and dark pages. */
export const colours = {
  ground: "#ffffff",
  ink: "#1f2933",
  faint: "#616e7c",
  line: "#9aa5b1",
  text: "#fff3c4",
  data: "#d3f0e3",
  plain: "#f0f4f8",
  accent: "#0b69a3",
} as const;

export const sans = "font-family:system-ui,-apple-system,Segoe UI,Helvetica,Arial,sans-serif";
export const mono = "font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace";

export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** A whole picture with a title, which screen readers read. */
export function picture(width: number, height: number, title: string, parts: readonly string[]): string {
  const open = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">`;
  return [open, `<title>${escaped(title)}</title>`, ground(width, height), ...parts, "</svg>", ""].join("\n");
}

const ground = (width: number, height: number): string =>
  `<rect width="${width}" height="${height}" rx="8" fill="${colours.ground}"/>`;

export function rectangle({ x, y, width, height }: Box, fill: string, stroke: string = colours.line): string {
  return `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="6" fill="${fill}" stroke="${stroke}"/>`;
}

/** One line of text whose baseline is at `y`; `style` is CSS. */
export function label(x: number, y: number, text: string, style: string, anchor = "start"): string {
  return `<text x="${x}" y="${y}" text-anchor="${anchor}" xml:space="preserve" style="${style}">${escaped(text)}</text>`;
}

/** A box with a bold heading and lines below it. */
export function card(box: Box, fill: string, heading: string, lines: readonly string[]): string {
  const at = box.x + 12;
  const body = lines.map((line, i) =>
    label(at, box.y + 44 + i * 18, line, `${sans};font-size:13px;fill:${colours.ink}`),
  );
  const head = label(at, box.y + 22, heading, `${sans};font-size:14px;font-weight:600;fill:${colours.ink}`);
  return [rectangle(box, fill), head, ...body].join("\n");
}

/** An arrow along straight lines through these points. */
export function arrow(points: readonly (readonly [x: number, y: number])[]): string {
  const path = points.map(([x, y], i) => `${i === 0 ? "M" : "L"}${x} ${y}`).join(" ");
  const [x, y] = points.at(-1)!;
  const [fromX, fromY] = points.at(-2)!;
  const angle = Math.round((Math.atan2(y - fromY, x - fromX) * 180) / Math.PI);
  return `<path d="${path}" fill="none" stroke="${colours.accent}" stroke-width="2"/>
<path d="M-9 -5 L0 0 L-9 5 Z" fill="${colours.accent}" transform="translate(${x} ${y}) rotate(${angle})"/>`;
}

export const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
