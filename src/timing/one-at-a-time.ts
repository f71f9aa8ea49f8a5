/**
 * Work that must not run side by side: each piece begins when the one before it is over, in the
 * order in which they were given.
 */
export class OneAtATime {
  #last: Promise<unknown> = Promise.resolve();

  /** Resolves or rejects as `work` does; that one failed does not keep the next from its turn. */
  run<T>(work: () => T | Promise<T>): Promise<T> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => {});
    return done;
  }
}
