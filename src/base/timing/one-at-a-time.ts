/**
 * Work that must not run in parallel: each piece begins when the one before it has ended, in the
 * order of the calls.
 */
export class OneAtATime {
  #last: Promise<unknown> = Promise.resolve();

  /** Resolves or rejects like `work`. A failure does not stop the following pieces. */
  run<T>(work: () => T | Promise<T>): Promise<T> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => {});
    return done;
  }
}
