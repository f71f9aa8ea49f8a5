/**
 * When something that did not work for a reason outside the configuration is tried again: later each time, until it works.
 * However often it fails, one further try is planned and no more.
 */
import type { Clock } from "../timing/clock.ts";

export interface AgainOptions {
  readonly floorMs: number;
  readonly ceilingMs: number;
}

export class Again {
  readonly #clock: Clock;
  readonly #options: AgainOptions;
  readonly #run: () => void;
  #failures = 0;
  #cancel: (() => void) | undefined;

  constructor(clock: Clock, options: AgainOptions, run: () => void) {
    this.#clock = clock;
    this.#options = options;
    this.#run = run;
  }

  /** It did not work: `run` is called `floorMs` after the first failure in a row, and twice as long after each further one up to `ceilingMs`. */
  plan(): void {
    const { floorMs, ceilingMs } = this.#options;
    this.#cancel?.();
    this.#cancel = this.#clock.schedule(Math.min(ceilingMs, floorMs * 2 ** this.#failures), this.#run);
    this.#failures += 1;
  }

  /** It worked: the next failure is the first. */
  forget(): void {
    this.#failures = 0;
  }
}
