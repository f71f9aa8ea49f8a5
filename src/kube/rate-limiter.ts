/**
 * Decides how long a key has to wait before its next try. The default is the limiter of client-go's
 * controllers: each key waits longer after each of its failures, and all keys together start at
 * most ten tries a second.
 */
import type { Clock } from "../base/timing/clock.ts";
import { type Doubling, doublingMs } from "../base/timing/doubling.ts";
import { TokenBucket } from "../base/timing/token-bucket.ts";

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
export function defaultRateLimiter(clock: Clock): RateLimiter {
  const each = perKey({ floorMs: 5, ceilingMs: 1_000_000 });
  const all = new TokenBucket({ perSecond: 10, burst: 100 }, clock);
  return { ...each, when: (key) => Math.max(each.when(key), all.reserve()) };
}

export function perKey(delays: Doubling): RateLimiter {
  const failures = new Map<string, number>();
  return {
    when(key) {
      const count = (failures.get(key) ?? 0) + 1;
      failures.set(key, count);
      return doublingMs(count, delays);
    },
    forget: (key) => void failures.delete(key),
    retries: (key) => failures.get(key) ?? 0,
  };
}
