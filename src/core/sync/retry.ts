/**
 * Repeats work that failed for a reason outside of the configuration, after growing waits. At most
 * one repetition is scheduled.
 */
import type { Clock } from "../../base/timing/clock.ts";
import { type Doubling, doublingMs } from "../../base/timing/doubling.ts";

export class Retry {
  readonly #clock: Clock;
  readonly #options: Doubling;
  readonly #run: () => void;
  #failures = 0;
  #cancel: (() => void) | undefined;

  constructor(clock: Clock, options: Doubling, run: () => void) {
    this.#clock = clock;
    this.#options = options;
    this.#run = run;
  }

  /**
   * Calls `run` after `floorMs` for the first failure in a row, and after twice as long for each
   * further one, up to `ceilingMs`.
   */
  schedule(): void {
    this.#failures += 1;
    this.#cancel?.();
    this.#cancel = this.#clock.schedule(doublingMs(this.#failures, this.#options), this.#run);
  }

  /** Reports success: the next failure counts as the first. */
  reset(): void {
    this.#failures = 0;
  }
}
