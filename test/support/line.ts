/** Fits a straight line through measurements, to distinguish growth from noise. */

export interface Line {
  /** The rise from the first to the last point. */
  readonly rise: number;
  /**
   * The standard error of the rise: by chance alone the rise is rarely wrong by more than twice as
   * much.
   */
  readonly error: number;
  /** The height of the line in the middle. */
  readonly level: number;
}

export type Point = readonly [x: number, y: number];

/** Fits the line by least squares; it needs three points with different x. */
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

/** Returns whether the line rises by more than `tolerated` beyond doubt. */
export function grows({ rise, error }: Line, tolerated: number): boolean {
  return rise - 2 * error > tolerated;
}
