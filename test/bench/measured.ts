/** What a benchmark found. */

export interface Measured {
  readonly name: string;
  /** One entry for each try. */
  readonly tookMs: readonly number[];
  /** The median is to be below this, or 95 in 100 where `tail` says so. */
  readonly goalMs: number;
  readonly tail?: boolean;
  /** What else is worth knowing. */
  readonly note?: string;
}

/** `name: median 80 ms, slowest 120 ms (goal 300 ms: met)`. */
export function lineOf({ name, tookMs, goalMs, tail = false, note }: Measured): string {
  const sorted = tookMs.toSorted((a, b) => a - b);
  const [median = 0, slowest = 0] = [sorted[sorted.length >> 1], sorted.at(-1)];
  const most = sorted[Math.ceil(sorted.length * 0.95) - 1] ?? 0;
  const verdict = (tail ? most : median) < goalMs ? "met" : "missed";
  const figures = [`median ${median.toFixed(0)} ms`, ...(tail ? [`95 % ${most.toFixed(0)} ms`] : [])];
  const more = note === undefined ? "" : `; ${note}`;
  return `${name}: ${figures.join(", ")}, slowest ${slowest.toFixed(0)} ms (goal ${goalMs} ms: ${verdict})${more}`;
}
