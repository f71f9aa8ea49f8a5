/**
 * The bell of the sync: whether something may have changed since the last turn began, since when, and who waits until that
 * is dealt with. A notice carries nothing else; what changed is read from the Snapshots.
 */
import type { Clock } from "../timing/clock.ts";

interface Waiter {
  readonly upTo: number;
  resolve(): void;
  reject(cause: unknown): void;
}

export class Notices {
  readonly #clock: Clock;
  #waiters: readonly Waiter[] = [];
  #count = 0;
  #dealtWith = 0;
  #since: number | undefined;
  #wake: (() => void) | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether there was none since the last turn began. */
  get isQuiet(): boolean {
    return this.#since === undefined;
  }

  /** Something may have changed. */
  notice(): void {
    this.#count++;
    this.lookAgain();
  }

  /** Asks for a turn although nothing has changed that anybody waits for. */
  lookAgain(): void {
    this.#since ??= this.#clock.now();
    this.wake();
  }

  /** A turn begins. `sinceMs` is when the first notice came that it answers, `upTo` how many there were in all. */
  take(): { readonly sinceMs: number; readonly upTo: number } {
    const sinceMs = this.#since ?? this.#clock.now();
    this.#since = undefined;
    return { sinceMs, upTo: this.#count };
  }

  /** All is published that the first `upTo` notices were about. */
  dealWith(upTo: number): void {
    this.#dealtWith = upTo;
  }

  /** Resolves when the notices there are now are dealt with and no reload is on; rejects when the sync ends before. */
  settled(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiters = [...this.#waiters, { upTo: this.#count, resolve, reject }];
      this.wake();
    });
  }

  /** Until the next notice, or `wake`. While the sync is `idle`, whoever has waited long enough is told first. */
  async sleep(idle: boolean): Promise<void> {
    if (idle && this.isQuiet) this.#settle();
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    this.#wake = undefined;
  }

  wake(): void {
    this.#wake?.();
  }

  /** The sync is over. */
  fail(cause: unknown): void {
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const waiter of waiters) waiter.reject(cause);
  }

  #settle(): void {
    const over = this.#waiters.filter(({ upTo }) => upTo <= this.#dealtWith);
    this.#waiters = this.#waiters.filter(({ upTo }) => upTo > this.#dealtWith);
    for (const waiter of over) waiter.resolve();
  }
}
