/**
 * Coalesces reload requests: one runs, and only the newest of those waiting runs next, for all of
 * them. A skipped request loses nothing, because each one is a whole configuration.
 */
export interface Request<Work> {
  readonly work: Work;
  readonly signal: AbortSignal;
}

export class CoalescedRuns<Work, Outcome> {
  readonly #ready: (newest: () => Request<Work>) => Promise<void>;
  readonly #run: (work: Work, signal: AbortSignal) => Promise<Outcome>;
  #next: Request<Work> | undefined;
  #waiting: Promise<Outcome> | undefined;
  #last: Promise<unknown> = Promise.resolve();

  /**
   * A run waits for the one before it and then for `ready`; until then a newer request may replace
   * it. `ready` should stop waiting when the newest request is aborted.
   */
  constructor(
    ready: (newest: () => Request<Work>) => Promise<void>,
    run: (work: Work, signal: AbortSignal) => Promise<Outcome>,
  ) {
    this.#ready = ready;
    this.#run = run;
  }

  /**
   * Returns the outcome of `work`, or of newer work that replaced it. The signal counts only while
   * its own work runs.
   */
  ask(work: Work, signal: AbortSignal): Promise<Outcome> {
    this.#next = { work, signal };
    if (this.#waiting === undefined) {
      this.#waiting = this.#runAfter(this.#last);
      this.#last = this.#waiting.catch(() => {});
    }
    return this.#waiting;
  }

  /** Resolves when no request waits or runs. */
  async idle(): Promise<void> {
    await this.#last;
  }

  async #runAfter(before: Promise<unknown>): Promise<Outcome> {
    await before;
    await this.#ready(() => this.#next!);
    const { work, signal } = this.#next!;
    this.#next = undefined;
    this.#waiting = undefined;
    return this.#run(work, signal);
  }
}
