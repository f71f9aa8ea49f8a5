/**
 * Work that must not occupy the event loop. Pieces run one after another, each in parts. After some
 * milliseconds of work, the next part waits as long as the parts before it took. So expensive
 * requests of untrusted clients get half of the time at most.
 */
import type { Clock } from "./clock.ts";

/** Work in parts: it may be interrupted wherever it yields, and returns its result at the end. */
export type Parts<T> = Generator<undefined, T>;

/** Shorter work does not make later work wait. */
const shortMs = 10;

export class Paced {
  readonly #clock: Clock;
  readonly #longestWaitMs: number;
  #last: Promise<void> = Promise.resolve();

  /** Work that has waited longer than `longestWaitMs` is not started. */
  constructor(clock: Clock, longestWaitMs: number) {
    this.#clock = clock;
    this.#longestWaitMs = longestWaitMs;
  }

  /** Returns the result of `work`; undefined if it waited too long for its turn. */
  async run<T>(work: () => Parts<T>): Promise<T | undefined> {
    const sinceMs = this.#clock.now();
    const before = this.#last;
    let free = () => {};
    this.#last = new Promise((resolve) => {
      free = resolve;
    });
    await before;
    if (this.#clock.now() - sinceMs > this.#longestWaitMs) {
      free();
      return undefined;
    }
    let begun = this.#clock.now();
    try {
      const parts = work();
      for (;;) {
        const part = parts.next();
        if (part.done === true) return part.value;
        const took = this.#clock.now() - begun;
        if (took < shortMs) continue;
        await new Promise<void>((resolve) => this.#clock.schedule(took, resolve));
        begun = this.#clock.now();
      }
    } finally {
      const took = this.#clock.now() - begun;
      if (took < shortMs) free();
      else this.#clock.schedule(took, free);
    }
  }
}

/** Runs such work in one piece and returns its result. */
export function atOnce<T>(parts: Parts<T>): T {
  for (;;) {
    const part = parts.next();
    if (part.done === true) return part.value;
  }
}
