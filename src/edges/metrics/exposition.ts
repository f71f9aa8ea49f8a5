/** Writes Prometheus's text format, for metrics with many series. */

export type Label = readonly [name: string, value: string];

/** Returns the text between the braces of a series. */
export function labelsText(labels: readonly Label[]): string {
  return labels.map(([name, value]) => `${name}="${escaped(value)}"`).join();
}

function escaped(value: string): string {
  return value.replace(/[\\"\n]/g, (c) => (c === "\n" ? "\\n" : `\\${c}`));
}
