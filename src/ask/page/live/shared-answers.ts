/**
 * Makes answers once for all open pages: after an event each of them sends requests, and many of
 * these are equal. An answer is kept until something has changed, and for a second at most.
 */
import type { Clock } from "../../../base/timing/clock.ts";

export interface Made {
  readonly status: number;
  readonly text: string;
}

const keptMs = 1_000;
/** A list of 500 rows has some hundred kB. */
const mostAnswers = 20;

export class SharedAnswers {
  readonly #clock: Pick<Clock, "now">;
  readonly #made = new Map<string, Promise<Made>>();
  #since = 0;

  constructor(clock: Pick<Clock, "now">) {
    this.#clock = clock;
  }

  /** Returns the answer of this name, which `make` makes if there is none. */
  of(name: string, make: () => Promise<Made>): Promise<Made> {
    if (this.#clock.now() - this.#since >= keptMs || this.#made.size >= mostAnswers) this.forget();
    const known = this.#made.get(name);
    if (known !== undefined) return known;
    if (this.#made.size === 0) this.#since = this.#clock.now();
    const made = make();
    this.#made.set(name, made);
    return made;
  }

  forget(): void {
    this.#made.clear();
  }
}
