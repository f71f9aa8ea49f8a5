/**
 * Growing waits between tries. They have jitter, so that a thousand clients do not return to a
 * server at the same moment. A Backoff resets its count of failures after a while without one, or
 * when a success is reported.
 */
import type { Clock } from "../base/timing/clock.ts";

export interface BackoffOptions {
  readonly floorMs: number;
  readonly ceilingMs: number;
  /** After this time without a failure, the next failure counts as the first. */
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

  /** Reports a success: the next failure counts as the first. */
  forget(): void {
    this.#failures = 0;
  }

  /**
   * Counts a failure and returns the milliseconds to wait: between one and two times `floorMs *
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
