/**
 * Time as an argument: code that waits or measures gets a Clock, which tests control. A Clock has
 * two readings. `now` never goes back and is for measuring. `wall` is the time of day, which may
 * jump.
 */
import { later } from "../callbacks.ts";

export interface Clock {
  /** Milliseconds from some fixed moment; never goes back. */
  now(): number;
  /** Milliseconds since 1970; may jump when the machine's time is corrected. */
  wall(): number;
  /**
   * Calls `run` once after `delayMs`, or soon if that is negative, unless the returned function was
   * called before.
   */
  schedule(delayMs: number, run: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => performance.now(),
  wall: () => Date.now(),
  schedule(delayMs, run) {
    const timer = later("a timer", Math.max(0, delayMs), run);
    return () => clearTimeout(timer);
  },
};

/** Resolves after `delayMs`, or at once when the signal aborts; never rejects. */
export function sleep(clock: Clock, delayMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((wake) => {
    if (signal.aborted) return wake();
    const done = () => {
      cancel();
      signal.removeEventListener("abort", done);
      wake();
    };
    const cancel = clock.schedule(delayMs, done);
    signal.addEventListener("abort", done, { once: true });
  });
}
