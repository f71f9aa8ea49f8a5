/**
 * A queue of keys with the guarantees of client-go's work queue. A key waits at most once however
 * often it is added, and no two workers have the same key at a time. A key that is added while a
 * worker has it waits again when that worker is done. So the queue carries only names of objects to
 * look at, and no events.
 */
import type { Clock } from "../base/timing/clock.ts";
import { defaultRateLimiter, type RateLimiter } from "./rate-limiter.ts";

interface Delayed {
  readonly at: number;
  readonly cancel: () => void;
}

export interface WorkQueueOptions {
  /** The default is the limiter of client-go's controllers. */
  readonly limiter?: RateLimiter;
  readonly report?: ((event: QueueEvent) => void) | undefined;
}

/**
 * An event in the life of a WorkQueue, for metrics. `depth` is the number of keys that wait now.
 */
export type QueueEvent =
  | { readonly kind: "added"; readonly depth: number }
  | { readonly kind: "retried" }
  | { readonly kind: "taken"; readonly depth: number; readonly waitedMs: number }
  | { readonly kind: "done"; readonly tookMs: number };

export class WorkQueue {
  readonly #clock: Clock;
  readonly #limiter: RateLimiter;
  readonly #report: ((event: QueueEvent) => void) | undefined;
  /** Keys in the order in which they are taken, with the time since which each has waited. */
  readonly #waiting = new Map<string, number>();
  /** Keys that need work: those in `#waiting`, and those added again while a worker has them. */
  readonly #dirty = new Set<string>();
  /** Keys that a worker has, with the time since which it has them. */
  readonly #processing = new Map<string, number>();
  readonly #delayed = new Map<string, Delayed>();
  readonly #takers: ((key: string | undefined) => void)[] = [];
  readonly #idle = Promise.withResolvers<void>();
  #shuttingDown = false;

  constructor(clock: Clock, { limiter, report }: WorkQueueOptions = {}) {
    this.#clock = clock;
    this.#limiter = limiter ?? defaultRateLimiter(clock);
    this.#report = report;
  }

  /** Keys that wait for a worker now. */
  get length(): number {
    return this.#waiting.size;
  }

  add(key: string): void {
    if (this.#shuttingDown || this.#dirty.has(key)) return;
    this.#dirty.add(key);
    if (!this.#processing.has(key)) this.#enqueue(key);
  }

  /** Adds the key after `delayMs`. The shortest of several delays for one key counts. */
  addAfter(key: string, delayMs: number): void {
    if (this.#shuttingDown) return;
    if (delayMs <= 0) {
      this.add(key);
      return;
    }
    const at = this.#clock.now() + delayMs;
    const earlier = this.#delayed.get(key);
    if (earlier && earlier.at <= at) return;
    earlier?.cancel();
    const cancel = this.#clock.schedule(delayMs, () => {
      this.#delayed.delete(key);
      this.add(key);
    });
    this.#delayed.set(key, { at, cancel });
  }

  /** Adds the key after a wait that depends on its failures. */
  addRateLimited(key: string): void {
    this.#report?.({ kind: "retried" });
    this.addAfter(key, this.#limiter.when(key));
  }

  /** Reports a success of the key: its failures no longer count. */
  forget(key: string): void {
    this.#limiter.forget(key);
  }

  retries(key: string): number {
    return this.#limiter.retries(key);
  }

  /**
   * Returns the next key, for which the caller must call `done`. Returns undefined when the queue
   * is shut down and empty.
   */
  take(): Promise<string | undefined> {
    const [next] = this.#waiting;
    if (next !== undefined) {
      const [key, since] = next;
      this.#waiting.delete(key);
      return Promise.resolve(this.#hand(key, since));
    }
    if (this.#shuttingDown) return Promise.resolve(undefined);
    return new Promise((taker) => this.#takers.push(taker));
  }

  done(key: string): void {
    const since = this.#processing.get(key);
    if (since !== undefined) this.#report?.({ kind: "done", tookMs: this.#clock.now() - since });
    this.#processing.delete(key);
    if (this.#dirty.has(key)) this.#enqueue(key);
    this.#settle();
  }

  /**
   * Accepts no more keys and drops delayed ones. Resolves when the workers have emptied the queue
   * and are done.
   */
  drain(): Promise<void> {
    this.#shuttingDown = true;
    for (const { cancel } of this.#delayed.values()) cancel();
    this.#delayed.clear();
    for (const taker of this.#takers.splice(0)) taker(undefined);
    this.#settle();
    return this.#idle.promise;
  }

  #enqueue(key: string): void {
    const now = this.#clock.now();
    const taker = this.#takers.shift();
    if (!taker) this.#waiting.set(key, now);
    this.#report?.({ kind: "added", depth: this.length });
    if (taker) taker(this.#hand(key, now));
  }

  #hand(key: string, since: number): string {
    const now = this.#clock.now();
    this.#dirty.delete(key);
    this.#processing.set(key, now);
    this.#report?.({ kind: "taken", depth: this.length, waitedMs: now - since });
    return key;
  }

  #settle(): void {
    if (this.#shuttingDown && this.#waiting.size === 0 && this.#processing.size === 0) this.#idle.resolve();
  }
}
