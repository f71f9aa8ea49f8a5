/**
 * Requests a second, errors and answer times by path, from the counts that nginx's workers make
 * anyway. Sums are kept only while a browser reads them, for two windows of time. The older one is
 * complete. Their cost depends on the number of paths that get requests.
 */
import type { CountedSums } from "../../../edges/metrics/request-metrics.ts";
import type { Quantile, Traffic } from "../api/routes.ts";

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

interface Window {
  readonly all: Sums;
  /** Keyed by host, and then by owner and path: most hosts of a long list have no requests. */
  readonly hosts: Map<string, Map<string, Sums>>;
}

const windowMs = 15_000;

export class TrafficWindows {
  readonly #bounds: readonly number[];
  readonly #now: () => number;
  readonly #stop: () => void;
  /** Sums of no request; never added to. */
  readonly #none: Sums;
  #older: Window;
  #newer: Window;
  #olderMs = 0;
  #newerSince: number;

  /** `now` returns milliseconds that only grow. */
  constructor(requests: CountedRequests, now: () => number) {
    this.#bounds = requests.bounds;
    this.#now = now;
    this.#newerSince = now();
    this.#none = this.#nothing();
    this.#older = this.#empty();
    this.#newer = this.#empty();
    this.#stop = requests.follow((sums) => this.#add(sums));
  }

  close(): void {
    this.#stop();
  }

  /** The figures of all requests. */
  get all(): Traffic {
    this.#turn();
    return this.#figures(this.#older.all, this.#newer.all);
  }

  of(host: string, owner: string, path: string): Traffic {
    this.#turn();
    const [older, newer] = [this.#older.hosts.get(host), this.#newer.hosts.get(host)];
    if (older === undefined && newer === undefined) return quiet;
    const key = keyOf(owner, path);
    return this.#figures(older?.get(key), newer?.get(key));
  }

  #add({ host, owner, path, status, count, buckets }: CountedSums): void {
    this.#turn();
    const { all, hosts } = this.#newer;
    const paths = hosts.get(host) ?? new Map<string, Sums>();
    hosts.set(host, paths);
    const key = keyOf(owner, path);
    const own = paths.get(key) ?? this.#nothing();
    paths.set(key, own);
    for (const sums of [all, own]) {
      sums.count += count;
      if (status.startsWith("5")) sums.errors += count;
      for (let at = 0; at < buckets.length; at++) sums.buckets[at]! += buckets[at]!;
    }
  }

  #figures(older = this.#none, newer = this.#none): Traffic {
    const count = older.count + newer.count;
    const seconds = Math.max(1, (this.#olderMs + this.#now() - this.#newerSince) / 1000);
    const buckets = older.buckets.map((some, at) => some + newer.buckets[at]!);
    return {
      requestsPerSecond: count / seconds,
      errorsPerSecond: (older.errors + newer.errors) / seconds,
      p50: quantile(0.5, count, buckets, this.#bounds),
      p99: quantile(0.99, count, buckets, this.#bounds),
    };
  }

  #turn(): void {
    const ms = this.#now() - this.#newerSince;
    if (ms < windowMs) return;
    // If so much time has passed without a question or a request, the newer window is outdated,
    // too.
    this.#older = ms < 2 * windowMs ? this.#newer : this.#empty();
    this.#olderMs = Math.min(ms, 2 * windowMs);
    this.#newer = this.#empty();
    this.#newerSince += ms;
  }

  #empty(): Window {
    return { all: this.#nothing(), hosts: new Map() };
  }

  #nothing(): Sums {
    return { count: 0, errors: 0, buckets: this.#bounds.map(() => 0) };
  }
}

const quiet: Traffic = { requestsPerSecond: 0, errorsPerSecond: 0, p50: null, p99: null };

const keyOf = (owner: string, path: string) => `${owner}\0${path}`;

/**
 * Estimates a quantile as Prometheus does: it assumes that requests are spread evenly within their
 * bucket.
 */
export function quantile(
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
