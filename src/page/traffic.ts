/**
 * Requests a second, errors and times of answers by path, from what nginx's workers count anyway.
 * Sums are followed only while somebody looks, over two windows of which the older one is whole,
 * and cost as much as there are paths with requests.
 */
import type { CountedSums } from "../metrics/request-metrics.ts";
import type { Quantile, Traffic } from "./api/routes.ts";

/** See `RequestMetrics`. */
export interface CountedRequests {
  /** Upper bounds of the buckets of durations, in seconds. */
  readonly bounds: readonly number[];
  follow(follower: (sums: CountedSums) => void): () => void;
}

interface Sums {
  count: number;
  errors: number;
  readonly buckets: number[];
}

type Window = Map<string, Sums>;

const windowMs = 15_000;
const whole = "";

export class TrafficWindows {
  readonly #bounds: readonly number[];
  readonly #now: () => number;
  readonly #stop: () => void;
  #older: Window = new Map();
  #newer: Window = new Map();
  #olderMs = 0;
  #newerSince: number;

  /** `now` in milliseconds that only grow. */
  constructor(requests: CountedRequests, now: () => number) {
    this.#bounds = requests.bounds;
    this.#now = now;
    this.#newerSince = now();
    this.#stop = requests.follow((sums) => this.#add(sums));
  }

  close(): void {
    this.#stop();
  }

  /** All requests. */
  get all(): Traffic {
    return this.#of(whole);
  }

  of(host: string, owner: string, path: string): Traffic {
    return this.#of(keyOf(host, owner, path));
  }

  #add({ host, owner, path, status, count, buckets }: CountedSums): void {
    this.#turn();
    for (const key of [whole, keyOf(host, owner, path)]) {
      const sums = this.#newer.get(key) ?? { count: 0, errors: 0, buckets: this.#bounds.map(() => 0) };
      this.#newer.set(key, sums);
      sums.count += count;
      if (status.startsWith("5")) sums.errors += count;
      buckets.forEach((some, at) => {
        sums.buckets[at]! += some;
      });
    }
  }

  #of(key: string): Traffic {
    this.#turn();
    const some = [this.#older.get(key), this.#newer.get(key)].filter((one) => one !== undefined);
    // Most of ten thousand paths, while a list is sorted by figures.
    if (some.length === 0) return quiet;
    const sum = (of: (one: Sums) => number) => some.reduce((total, one) => total + of(one), 0);
    const seconds = Math.max(1, (this.#olderMs + this.#now() - this.#newerSince) / 1000);
    const count = sum((one) => one.count);
    const buckets = this.#bounds.map((_, at) => sum((one) => one.buckets[at]!));
    return {
      requestsPerSecond: count / seconds,
      errorsPerSecond: sum((one) => one.errors) / seconds,
      p50: quantile(0.5, count, buckets, this.#bounds),
      p99: quantile(0.99, count, buckets, this.#bounds),
    };
  }

  #turn(): void {
    const ms = this.#now() - this.#newerSince;
    if (ms < windowMs) return;
    // No page asked and nothing came for so long that the newer window says nothing about now
    // either.
    this.#older = ms < 2 * windowMs ? this.#newer : new Map();
    this.#olderMs = Math.min(ms, 2 * windowMs);
    this.#newer = new Map();
    this.#newerSince += ms;
  }
}

const quiet: Traffic = { requestsPerSecond: 0, errorsPerSecond: 0, p50: null, p99: null };

const keyOf = (host: string, owner: string, path: string) => `${host}\0${owner}\0${path}`;

/** A quantile, estimated like Prometheus does: requests are spread evenly within their bucket. */
function quantile(
  share: number,
  count: number,
  buckets: readonly number[],
  bounds: readonly number[],
): Quantile | null {
  if (count === 0) return null;
  const wanted = share * count;
  let below = 0;
  for (const [at, some] of buckets.entries()) {
    if (below + some >= wanted && some > 0) {
      const lower = at === 0 ? 0 : bounds[at - 1]!;
      return { seconds: lower + (bounds[at]! - lower) * ((wanted - below) / some), orMore: false };
    }
    below += some;
  }
  return { seconds: bounds.at(-1) ?? 0, orMore: true };
}
