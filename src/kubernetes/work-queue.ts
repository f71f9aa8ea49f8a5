/**
 * Keys waiting to be worked on, with the promises of client-go's work queue: a key waits at most once however often it is added, no two workers
 * have the same key at a time, and a key that is added while a worker has it waits again when that worker is done.
 * So the queue carries the name of what to look at, never what happened to it.
 */
import type { Clock } from "./clock.ts";
import { defaultRateLimiter, type RateLimiter } from "./rate-limiter.ts";

interface Delayed {
  readonly at: number;
  readonly cancel: () => void;
}

export class WorkQueue {
  readonly #clock: Clock;
  readonly #limiter: RateLimiter;
  readonly #waiting: string[] = [];
  /** Keys that need work: those in `#waiting`, and those added again while a worker has them. */
  readonly #dirty = new Set<string>();
  readonly #processing = new Set<string>();
  readonly #delayed = new Map<string, Delayed>();
  readonly #takers: ((key: string | undefined) => void)[] = [];
  readonly #idle = Promise.withResolvers<void>();
  #shuttingDown = false;

  constructor(clock: Clock, limiter: RateLimiter = defaultRateLimiter(clock)) {
    this.#clock = clock;
    this.#limiter = limiter;
  }

  /** Keys that wait for a worker now. */
  get length(): number {
    return this.#waiting.length;
  }

  add(key: string): void {
    if (this.#shuttingDown || this.#dirty.has(key)) return;
    this.#dirty.add(key);
    if (!this.#processing.has(key)) this.#enqueue(key);
  }

  /** Adds the key after `delayMs`. Of several delays for one key the shortest counts. */
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

  /** Adds the key after the wait that its failures have earned. */
  addRateLimited(key: string): void {
    this.addAfter(key, this.#limiter.when(key));
  }

  /** The key came through: its failures no longer count. */
  forget(key: string): void {
    this.#limiter.forget(key);
  }

  retries(key: string): number {
    return this.#limiter.retries(key);
  }

  /** The next key; whoever takes it must call `done`. Nothing once the queue is shut down and empty. */
  take(): Promise<string | undefined> {
    const key = this.#waiting.shift();
    if (key !== undefined) return Promise.resolve(this.#hand(key));
    if (this.#shuttingDown) return Promise.resolve(undefined);
    return new Promise((taker) => this.#takers.push(taker));
  }

  done(key: string): void {
    this.#processing.delete(key);
    if (this.#dirty.has(key)) this.#enqueue(key);
    this.#settle();
  }

  /** Takes in nothing more and drops what was delayed. Resolves when the workers have emptied the queue and are done. */
  drain(): Promise<void> {
    this.#shuttingDown = true;
    for (const { cancel } of this.#delayed.values()) cancel();
    this.#delayed.clear();
    for (const taker of this.#takers.splice(0)) taker(undefined);
    this.#settle();
    return this.#idle.promise;
  }

  #enqueue(key: string): void {
    const taker = this.#takers.shift();
    if (taker) taker(this.#hand(key));
    else this.#waiting.push(key);
  }

  #hand(key: string): string {
    this.#dirty.delete(key);
    this.#processing.add(key);
    return key;
  }

  #settle(): void {
    if (this.#shuttingDown && this.#waiting.length === 0 && this.#processing.size === 0) this.#idle.resolve();
  }
}
