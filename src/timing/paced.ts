/**
 * Work that must not take the event loop for itself: pieces run one after another, and after a long one the next waits as long as
 * that took. So strangers whose questions are expensive get half of the time at most, and everything else the rest.
 */
import type { Clock } from "./clock.ts";

/** Shorter work than this delays nothing. */
const shortMs = 10;

export class Paced {
  readonly #clock: Clock;
  readonly #longestWaitMs: number;
  #last: Promise<void> = Promise.resolve();

  /** A piece that has waited longer than `longestWaitMs` is not begun. */
  constructor(clock: Clock, longestWaitMs: number) {
    this.#clock = clock;
    this.#longestWaitMs = longestWaitMs;
  }

  /** What `work` returns; undefined where it waited too long for its turn. */
  async run<T>(work: () => T): Promise<T | undefined> {
    const asked = this.#clock.now();
    const before = this.#last;
    let free = () => {};
    this.#last = new Promise((resolve) => {
      free = resolve;
    });
    await before;
    const begun = this.#clock.now();
    if (begun - asked > this.#longestWaitMs) {
      free();
      return undefined;
    }
    try {
      return work();
    } finally {
      const took = this.#clock.now() - begun;
      if (took < shortMs) free();
      else this.#clock.schedule(took, free);
    }
  }
}
