/**
 * Who goes next when reloads are asked for faster than they can be done: one at a time, and of those that wait only the
 * newest, for everybody who asked. What it skipped is contained in what it does, because each one is a whole configuration.
 */
export interface Turn<Work> {
  readonly work: Work;
  readonly signal: AbortSignal;
}

export class Turns<Work, Outcome> {
  readonly #ready: (newest: () => Turn<Work>) => Promise<void>;
  readonly #run: (work: Work, signal: AbortSignal) => Promise<Outcome>;
  #next: Turn<Work> | undefined;
  #waiting: Promise<Outcome> | undefined;
  #last: Promise<unknown> = Promise.resolve();

  /**
   * A turn waits for the one before it and then for `ready`; until then a newer one may take its place. `ready` should
   * stop waiting when the newest is aborted.
   */
  constructor(
    ready: (newest: () => Turn<Work>) => Promise<void>,
    run: (work: Work, signal: AbortSignal) => Promise<Outcome>,
  ) {
    this.#ready = ready;
    this.#run = run;
  }

  /** The outcome of `work`, or of a newer one that took its place. The signal of the one that is done counts. */
  take(work: Work, signal: AbortSignal): Promise<Outcome> {
    this.#next = { work, signal };
    if (this.#waiting === undefined) {
      this.#waiting = this.#turn(this.#last);
      this.#last = this.#waiting.catch(() => {});
    }
    return this.#waiting;
  }

  /** Resolves when nothing is waiting or under way. */
  async idle(): Promise<void> {
    await this.#last;
  }

  async #turn(before: Promise<unknown>): Promise<Outcome> {
    await before;
    await this.#ready(() => this.#next!);
    const { work, signal } = this.#next!;
    this.#next = undefined;
    this.#waiting = undefined;
    return this.#run(work, signal);
  }
}
