/** A straight line through measurements, to tell growth from noise. */

export interface Line {
  /** How much it rises from the first to the last point. */
  readonly rise: number;
  /** The standard error of that: by chance alone it is rarely off by more than twice as much. */
  readonly error: number;
  /** Its height in the middle. */
  readonly level: number;
}

export type Point = readonly [x: number, y: number];

/** Least squares; needs three points with different x. */
export function lineThrough(points: readonly Point[]): Line {
  const count = points.length;
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / count;
  const [midX, level] = [mean(points.map(([x]) => x)), mean(points.map(([, y]) => y))];
  const spread = points.reduce((sum, [x]) => sum + (x - midX) ** 2, 0);
  const slope = points.reduce((sum, [x, y]) => sum + (x - midX) * (y - level), 0) / spread;
  const left = points.reduce((sum, [x, y]) => sum + (y - level - slope * (x - midX)) ** 2, 0);
  const xs = points.map(([x]) => x);
  const width = Math.max(...xs) - Math.min(...xs);
  return { rise: slope * width, error: Math.sqrt(left / (count - 2) / spread) * width, level };
}

/** Whether it surely rises by more than what is tolerated. */
export function grows({ rise, error }: Line, tolerated: number): boolean {
  return rise - 2 * error > tolerated;
}
