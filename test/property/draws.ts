/** Makes the random choices of property tests. The same seed gives the same choices. */

/** A random generator with a seed (mulberry32). */
export class Draws {
  #state: number;

  constructor(start: number) {
    this.#state = start;
  }

  below(count: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let word = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    word = (word + Math.imul(word ^ (word >>> 7), 61 | word)) ^ word;
    return ((word ^ (word >>> 14)) >>> 0) % count;
  }

  of<T>(all: readonly T[]): T {
    return all[this.below(all.length)]!;
  }

  /** Draws at most `count` of the values, each at most once. */
  some<T>(all: readonly T[], count: number): T[] {
    return [...new Set(Array.from({ length: this.below(count + 1) }, () => this.of(all)))];
  }
}
