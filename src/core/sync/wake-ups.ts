/**
 * Notes that a turn is needed, the time since which it is needed, and the callers that wait until
 * their change is live. A wake-up has no other content: the Snapshots show what has changed.
 */
import type { Clock } from "../../base/timing/clock.ts";

interface Waiter {
  readonly upTo: number;
  resolve(): void;
  reject(cause: unknown): void;
}

export class WakeUps {
  readonly #clock: Clock;
  #waiters: readonly Waiter[] = [];
  #count = 0;
  #handled = 0;
  #since: number | undefined;
  #ring: (() => void) | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether no turn was requested since the last one began. */
  get isQuiet(): boolean {
    return this.#since === undefined;
  }

  /** Requests a turn because something may have changed. */
  request(): void {
    this.#count++;
    this.lookAgain();
  }

  /** Requests a turn that no caller waits for. */
  lookAgain(): void {
    this.#since ??= this.#clock.now();
    this.ring();
  }

  /**
   * Begins a turn. `sinceMs` is the time of the first request that it answers, `upTo` the number of
   * requests so far.
   */
  take(): { readonly sinceMs: number; readonly upTo: number } {
    const sinceMs = this.#since ?? this.#clock.now();
    this.#since = undefined;
    return { sinceMs, upTo: this.#count };
  }

  /** Reports that the changes of the first `upTo` requests are published. */
  handled(upTo: number): void {
    this.#handled = upTo;
  }

  /**
   * Resolves when the requests so far are handled and no reload runs; rejects when the sync ends
   * before that.
   */
  settled(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiters = [...this.#waiters, { upTo: this.#count, resolve, reject }];
      this.ring();
    });
  }

  /**
   * Sleeps until the next request or `ring`. While the sync is `idle`, callers whose requests are
   * handled resume first.
   */
  async sleep(idle: boolean): Promise<void> {
    if (idle && this.isQuiet) this.#settle();
    await new Promise<void>((resolve) => {
      this.#ring = resolve;
    });
    this.#ring = undefined;
  }

  /** Ends a sleep without requesting a turn. */
  ring(): void {
    this.#ring?.();
  }

  /** Makes all waiting callers fail, because the sync has ended. */
  fail(cause: unknown): void {
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const waiter of waiters) waiter.reject(cause);
  }

  #settle(): void {
    const over = this.#waiters.filter(({ upTo }) => upTo <= this.#handled);
    this.#waiters = this.#waiters.filter(({ upTo }) => upTo > this.#handled);
    for (const waiter of over) waiter.resolve();
  }
}
