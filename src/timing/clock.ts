/**
 * Time as an argument: whatever waits or measures gets a Clock, and a test moves it. The two
 * readings are not alike: `now` only ever grows and is the one to measure with; `wall` is what
 * people and other machines see, and may jump.
 */

export interface Clock {
  /** Milliseconds from some fixed moment; never goes back. */
  now(): number;
  /** Milliseconds since 1970; goes back and forth as the machine's time is corrected. */
  wall(): number;
  /**
   * Calls `run` once after `delayMs`, soon when that is negative, unless the answer was called
   * before.
   */
  schedule(delayMs: number, run: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => performance.now(),
  wall: () => Date.now(),
  schedule(delayMs, run) {
    const timer = setTimeout(run, Math.max(0, delayMs));
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
