/** Repeats work at an interval. */
import type { Clock } from "./clock.ts";

/** Calls `act` every `ms`, and never at once. Returns a function that ends this. */
export function every(clock: Pick<Clock, "schedule">, ms: number, act: () => void): () => void {
  const next = (): (() => void) =>
    clock.schedule(ms, () => {
      cancel = next();
      act();
    });
  let cancel = next();
  return () => cancel();
}
