/** What a benchmark found. */

export interface Measured {
  readonly name: string;
  /** One entry for each try. */
  readonly tookMs: readonly number[];
  /** The median is to be below this. */
  readonly goalMs: number;
}

/** `name: median 80 ms, slowest 120 ms (goal 300 ms: met)`. */
export function lineOf({ name, tookMs, goalMs }: Measured): string {
  const sorted = tookMs.toSorted((a, b) => a - b);
  const [median = 0, slowest = 0] = [sorted[sorted.length >> 1], sorted.at(-1)];
  const verdict = median < goalMs ? "met" : "missed";
  return `${name}: median ${median.toFixed(0)} ms, slowest ${slowest.toFixed(0)} ms (goal ${goalMs} ms: ${verdict})`;
}
