/**
 * The wait after each failure in a row: `floorMs` after the first, and twice as long after each
 * further one, up to `ceilingMs`.
 */
export interface Doubling {
  readonly floorMs: number;
  readonly ceilingMs: number;
}

/** Returns the wait after this failure. `failures` counts from 1. */
export function doublingMs(failures: number, { floorMs, ceilingMs }: Doubling): number {
  return Math.min(ceilingMs, floorMs * 2 ** (failures - 1));
}
