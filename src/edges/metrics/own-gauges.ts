/**
 * Gauges that are read from the running parts at a scrape: workers and their generations, settings
 * of locations, shared memory, health, certificates.
 */
import { Counter, Gauge } from "prom-client";
import { shared } from "../../base/timing/shared.ts";
import type { MetricMakers } from "./makers.ts";

export interface OwnFigures {
  readonly workers: number;
  readonly drainingWorkers: number;
  readonly drainingGenerations: number;
  readonly restarts: number;
  readonly shapes: number;
  /**
   * The number of records in nginx's memory that another program had changed and that were
   * restored.
   */
  readonly putRight: number;
  /**
   * The number of objects that are set aside because nginx refused them, by kind. Each key of a
   * ConfigMap counts.
   */
  readonly quarantined: Readonly<Record<string, number>>;
  /** Requests that were counted as `other`. */
  readonly folded: number;
  /** The time at which the first certificate expires; undefined if there is none. */
  readonly firstExpiry: Date | undefined;
  /**
   * Shared memory of routes, endpoints and certificates; undefined if nginx does not answer or
   * has none.
   */
  readonly memory: { readonly capacityBytes: number; readonly freeBytes: number } | undefined;
  /** Whether each check of the health path passes. */
  readonly checks: Readonly<Record<string, boolean>>;
}

/** The metrics. Names of figures that only grow end in `_total`. */
const metrics: readonly (readonly [name: string, help: string, of: (figures: OwnFigures) => number | undefined])[] = [
  ["nginx_workers", "Workers of nginx that accept connections.", ({ workers }) => workers],
  [
    "nginx_draining_workers",
    "Workers of older generations that finish their requests.",
    ({ drainingWorkers }) => drainingWorkers,
  ],
  ["nginx_draining_generations", "Older generations with workers left.", (figures) => figures.drainingGenerations],
  ["nginx_restarts_total", "Times nginx was started again after it had died.", ({ restarts }) => restarts],
  [
    "records_put_right_total",
    "Records in nginx's memory that this controller had not written, and that it has put right.",
    ({ putRight }) => putRight,
  ],
  ["location_settings", "Distinct texts that locations have; a new one costs a reload.", ({ shapes }) => shapes],
  [
    "requests_folded_total",
    "Requests whose labels had no series of their own and that were counted as other.",
    ({ folded }) => folded,
  ],
  [
    "certificate_first_expiry_time_seconds",
    "When the first of the certificates in use expires, in seconds since 1970.",
    ({ firstExpiry }) => firstExpiry && Math.floor(firstExpiry.getTime() / 1000),
  ],
  [
    "shared_memory_bytes",
    "Shared memory for routes, endpoints and certificates.",
    ({ memory }) => memory?.capacityBytes,
  ],
  ["shared_memory_free_bytes", "Bytes of that memory in whole free pages.", ({ memory }) => memory?.freeBytes],
];

export function registerOwnGauges({ ours }: MetricMakers, figures: () => Promise<OwnFigures>): void {
  // A scrape collects all gauges at once, so the parts are read once for them.
  const together = shared(figures);
  for (const [name, help, of] of metrics) {
    const Metric = name.endsWith("_total") ? Counter : Gauge;
    new Metric({
      ...ours(name, help),
      async collect() {
        const value = of(await together());
        this.reset();
        if (value === undefined) this.remove();
        else this.inc(value);
      },
    });
  }
  new Gauge({
    ...ours(
      "quarantined_objects",
      "Ingresses and keys of ConfigMaps that nginx refused and that are set aside, by kind.",
    ),
    labelNames: ["kind"],
    async collect() {
      for (const [kind, count] of Object.entries((await together()).quarantined)) this.set({ kind }, count);
    },
  });
  new Gauge({
    ...ours("health_check", "Whether a check of the health path passes."),
    labelNames: ["check"],
    async collect() {
      for (const [check, passes] of Object.entries((await together()).checks)) this.set({ check }, passes ? 1 : 0);
    },
  });
}
