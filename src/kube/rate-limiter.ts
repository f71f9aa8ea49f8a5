/**
 * Decides how long a key has to wait before its next try. The default is the limiter of client-go's
 * controllers: each key waits longer after each of its failures, and all keys together start at
 * most ten tries a second.
 */
import type { Clock } from "../base/timing/clock.ts";

export interface RateLimiter {
  /** Counts a try and returns the milliseconds to wait before it. */
  when(key: string): number;
  /** Reports a success of the key: its next failure counts as the first. */
  forget(key: string): void;
  retries(key: string): number;
}

/**
 * Returns client-go's limiter: 5 ms doubling to 1000 s for each key, and 10 a second (burst 100)
 * over all; the longer wait counts.
 */
export const defaultRateLimiter = (clock: Clock): RateLimiter =>
  longestOf(
    perKey({ floorMs: 5, ceilingMs: 1_000_000 }),
    overall(new TokenBucket({ perSecond: 10, burst: 100 }, clock)),
  );

export function perKey({ floorMs, ceilingMs }: { readonly floorMs: number; readonly ceilingMs: number }): RateLimiter {
  const failures = new Map<string, number>();
  return {
    when(key) {
      const before = failures.get(key) ?? 0;
      failures.set(key, before + 1);
      return Math.min(ceilingMs, floorMs * 2 ** before);
    },
    forget: (key) => void failures.delete(key),
    retries: (key) => failures.get(key) ?? 0,
  };
}

export function overall(bucket: TokenBucket): RateLimiter {
  return { when: () => bucket.reserve(), forget: () => {}, retries: () => 0 };
}

export function longestOf(...limiters: readonly RateLimiter[]): RateLimiter {
  return {
    when: (key) => Math.max(...limiters.map((limiter) => limiter.when(key))),
    forget(key) {
      for (const limiter of limiters) limiter.forget(key);
    },
    retries: (key) => Math.max(...limiters.map((limiter) => limiter.retries(key))),
  };
}

/** A bucket that gets `perSecond` tokens a second up to `burst`, and starts full. */
export class TokenBucket {
  readonly #perMs: number;
  readonly #burst: number;
  readonly #clock: Clock;
  #tokens: number;
  #filled: number;

  constructor({ perSecond, burst }: { readonly perSecond: number; readonly burst: number }, clock: Clock) {
    this.#perMs = perSecond / 1000;
    this.#burst = burst;
    this.#clock = clock;
    this.#tokens = burst;
    this.#filled = clock.now();
  }

  /**
   * Takes a token, if necessary a future one, and returns the milliseconds until it is available.
   */
  reserve(): number {
    this.#fill();
    this.#tokens -= 1;
    return this.#tokens >= 0 ? 0 : -this.#tokens / this.#perMs;
  }

  /** Takes a token if there is one now. */
  tryTake(): boolean {
    this.#fill();
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }

  #fill(): void {
    const now = this.#clock.now();
    this.#tokens = Math.min(this.#burst, this.#tokens + (now - this.#filled) * this.#perMs);
    this.#filled = now;
  }
}
