/**
 * The last thirty minutes in steps of thirty seconds: requests, errors and the 99th percentile, of
 * all and of each route, and reloads and changes. They are kept in at most 3 MB, whether or not a
 * page is open.
 */
import { type CountedRoute, keyOf } from "../../edges/failures.ts";
import type { CountedSums } from "../../edges/metrics/request-metrics.ts";
import type { HistoryAnswer } from "./api/history.ts";
import { type CountedRequests, quantile } from "./live/traffic.ts";

const stepSeconds = 30;
const steps = 60;
/** Each has three figures of four bytes for each step, and its name. */
const mostRoutes = 2_500;

interface Sums {
  count: number;
  errors: number;
  readonly buckets: number[];
}

/** Figures by step: requests, errors and the quantile. */
interface Ring {
  readonly values: Float32Array;
  last: number;
}

/** Totals that only grow. */
export interface Totals {
  readonly reloads: number;
  readonly changes: number;
}

export class History {
  readonly #requests: CountedRequests | undefined;
  readonly #nowMs: () => number;
  readonly #totals: () => Totals;
  readonly #all: Ring = newRing();
  readonly #work: Ring = newRing();
  readonly #routes = new Map<string, Ring>();
  /** The sums of the present step; those of all have the empty name. */
  #sums = new Map<string, Sums>();
  #step: number;
  #before: Totals;

  /** `nowMs` returns milliseconds that only grow. */
  constructor(requests: CountedRequests | undefined, nowMs: () => number, totals: () => Totals) {
    this.#requests = requests;
    this.#nowMs = nowMs;
    this.#totals = totals;
    this.#step = this.#stepNow;
    this.#before = totals();
    requests?.follow((sums) => this.#add(sums));
  }

  /** Ends a step when its time is over. It is called more often than a step takes. */
  tick(): void {
    const now = this.#stepNow;
    if (now === this.#step) return;
    for (const [name, { count, errors, buckets }] of this.#sums) {
      const p99 = quantile(0.99, count, buckets, this.#requests!.bounds)?.seconds ?? 0;
      this.#put(name === "" ? this.#all : this.#ringOf(name), count, errors, p99);
    }
    const totals = this.#totals();
    this.#put(this.#work, totals.reloads - this.#before.reloads, totals.changes - this.#before.changes, 0);
    this.#before = totals;
    this.#sums = new Map();
    this.#step = now;
    for (const [name, { last }] of this.#routes) if (now - last > steps) this.#routes.delete(name);
  }

  /** Returns the figures of a route, or of all requests; the oldest step first. */
  of(route?: CountedRoute): HistoryAnswer {
    this.tick();
    const ring = route === undefined ? this.#all : (this.#routes.get(keyOf(route)) ?? newRing());
    const column = ({ values, last }: Ring, at: number, scale = 1) =>
      Array.from({ length: steps }, (_, index) => {
        const step = this.#step - steps + index;
        return step > last || step <= last - steps ? 0 : (values[(step % steps) * 3 + at] ?? 0) / scale;
      });
    return {
      stepSeconds,
      requestsPerSecond: column(ring, 0, stepSeconds),
      errorsPerSecond: column(ring, 1, stepSeconds),
      p99: column(ring, 2),
      reloads: column(this.#work, 0),
      changes: column(this.#work, 1),
    };
  }

  get #stepNow(): number {
    return Math.floor(this.#nowMs() / 1000 / stepSeconds);
  }

  #add(sums: CountedSums): void {
    this.tick();
    for (const name of ["", keyOf(sums)]) {
      const own = this.#sums.get(name) ?? { count: 0, errors: 0, buckets: sums.buckets.map(() => 0) };
      if (!this.#sums.has(name) && this.#sums.size > mostRoutes) continue;
      this.#sums.set(name, own);
      own.count += sums.count;
      if (sums.status.startsWith("5")) own.errors += sums.count;
      for (let at = 0; at < own.buckets.length; at++) own.buckets[at]! += sums.buckets[at]!;
    }
  }

  #ringOf(name: string): Ring {
    const ring = this.#routes.get(name) ?? newRing();
    this.#routes.delete(name);
    this.#routes.set(name, ring);
    if (this.#routes.size > mostRoutes) this.#routes.delete(this.#routes.keys().next().value!);
    return ring;
  }

  /** Writes the present step, and zeros for the steps without a request before it. */
  #put(ring: Ring, ...figures: readonly [number, number, number]): void {
    for (let step = Math.max(ring.last + 1, this.#step - steps + 1); step < this.#step; step++)
      ring.values.fill(0, (step % steps) * 3, (step % steps) * 3 + 3);
    ring.values.set(figures, (this.#step % steps) * 3);
    ring.last = this.#step;
  }
}

const newRing = (): Ring => ({ values: new Float32Array(steps * 3), last: -steps });
