/**
 * Growing waits between tries, with jitter so that a thousand clients of a server that comes back
 * do not come back together. A Backoff forgets its failures after a while without one, or when a
 * success is reported to it.
 */
import type { Clock } from "../timing/clock.ts";

export interface BackoffOptions {
  readonly floorMs: number;
  readonly ceilingMs: number;
  /** How long without a failure until the next one counts as the first. */
  readonly resetMs: number;
}

export class Backoff {
  readonly #options: BackoffOptions;
  readonly #clock: Clock;
  readonly #random: () => number;
  #failures = 0;
  #lastFailure = Number.NEGATIVE_INFINITY;

  constructor(options: BackoffOptions, clock: Clock, random: () => number) {
    this.#options = options;
    this.#clock = clock;
    this.#random = random;
  }

  /** Things went well: the next failure is the first. */
  forget(): void {
    this.#failures = 0;
  }

  /**
   * Counts a failure and gives the milliseconds to wait, between one and two times `floorMs *
   * 2^(failures - 1)`, at most twice `ceilingMs`.
   */
  next(): number {
    const { floorMs, ceilingMs, resetMs } = this.#options;
    const now = this.#clock.now();
    if (now - this.#lastFailure > resetMs) this.#failures = 0;
    this.#lastFailure = now;
    this.#failures += 1;
    return Math.min(ceilingMs, floorMs * 2 ** (this.#failures - 1)) * (1 + this.#random());
  }
}
