/**
 * Tries again what failed for a reason outside the configuration, later after each failure. At most
 * one further try is planned.
 */
import type { Clock } from "../timing/clock.ts";

export interface RetryOptions {
  readonly floorMs: number;
  readonly ceilingMs: number;
}

export class Retry {
  readonly #clock: Clock;
  readonly #options: RetryOptions;
  readonly #run: () => void;
  #failures = 0;
  #cancel: (() => void) | undefined;

  constructor(clock: Clock, options: RetryOptions, run: () => void) {
    this.#clock = clock;
    this.#options = options;
    this.#run = run;
  }

  /**
   * Calls `run` after `floorMs` for the first failure in a row, and after twice as long for each
   * further one, up to `ceilingMs`.
   */
  schedule(): void {
    const { floorMs, ceilingMs } = this.#options;
    this.#cancel?.();
    this.#cancel = this.#clock.schedule(Math.min(ceilingMs, floorMs * 2 ** this.#failures), this.#run);
    this.#failures += 1;
  }

  /** It worked: the next failure counts as the first. */
  reset(): void {
    this.#failures = 0;
  }
}
