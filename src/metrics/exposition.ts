/** Prometheus's text format, made by hand where there are many series. */

export type Label = readonly [name: string, value: string];

/** The text between the braces. */
export function labelsText(labels: readonly Label[]): string {
  return labels.map(([name, value]) => `${name}="${escaped(value)}"`).join();
}

function escaped(value: string): string {
  return value.replace(/[\\"\n]/g, (c) => (c === "\n" ? "\\n" : `\\${c}`));
}
