/**
 * What the controller counts about itself. Names with `nginx_ingress_controller_` are those of ingress-nginx, with its labels,
 * and are there with --enable-metrics; names with `sluice_` say what was missing there and are always there.
 */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import { Table } from "../model/table.ts";
import type { Problem } from "../problem.ts";
import type { SyncReport } from "../sync/ports.ts";
import { AdmissionMetrics, type CheckFigures } from "./admission-metrics.ts";
import { type RunningFigures, registerNginxMetrics } from "./nginx-metrics.ts";
import { RequestMetrics, type RequestMetricsOptions } from "./request-metrics.ts";

export interface MetricsOptions {
  /** Labels of every metric of ingress-nginx. */
  readonly labels: {
    readonly controller_namespace: string;
    readonly controller_class: string;
    readonly controller_pod: string;
  };
  readonly build: { readonly release: string; readonly build: string; readonly repository: string };
  /** --enable-metrics. */
  readonly enabled: boolean;
  /** Whether there is a webhook to count for. */
  readonly webhook: boolean;
  /** Asked at a scrape. */
  readonly nginx: () => NginxFigures;
  /** The same, of connections and processes; undefined while nginx does not run. */
  readonly processes: () => Promise<RunningFigures | undefined>;
  /** How requests are shown; undefined: they are not counted. */
  readonly requests: Omit<RequestMetricsOptions, "labels"> | undefined;
  /** What workers counted since the last time; empty when that is all. */
  readonly counts: () => Promise<string>;
  readonly nowMs: () => number;
}

export interface NginxFigures {
  readonly workers: number;
  readonly drainingWorkers: number;
  readonly drainingGenerations: number;
  readonly restarts: number;
  readonly shapes: number;
}

const prefix = "nginx_ingress_controller_";

export class Metrics {
  readonly #registry = new Registry();
  readonly #options: MetricsOptions;
  readonly #lastGood: Gauge;
  readonly #lastGoodAt: Gauge;
  readonly #successes: Counter;
  readonly #errors: Counter;
  readonly #syncs: Counter<"change">;
  readonly #reloads: Counter<"why" | "outcome">;
  readonly #live: Histogram;
  readonly #admission: AdmissionMetrics | undefined;
  readonly #requests: RequestMetrics | undefined;
  readonly #problems: Gauge<"source" | "kind">;
  readonly #problemsBySource = new Map<string, Table<readonly Problem[]>>();

  constructor(options: MetricsOptions) {
    this.#options = options;
    const registers = [this.#registry];
    collectDefaultMetrics({ register: this.#registry });
    const theirs = { registers: options.enabled ? registers : [], labelNames: Object.keys(options.labels) };
    const metric = (name: string, help: string) => ({ ...theirs, name: `${prefix}${name}`, help });
    new Gauge({
      ...metric("build_info", "A constant 1 with labels about the version of the controller."),
      labelNames: [...theirs.labelNames, ...Object.keys(options.build)],
    }).set({ ...options.labels, ...options.build }, 1);
    this.#lastGood = new Gauge(metric("config_last_reload_successful", "Whether the last reload attempt worked."));
    this.#lastGoodAt = new Gauge(
      metric("config_last_reload_successful_timestamp_seconds", "Time of the last reload that worked."),
    );
    this.#successes = new Counter(metric("success", "Reloads that worked."));
    this.#errors = new Counter(metric("errors", "Reloads that failed."));

    this.#admission = options.webhook ? new AdmissionMetrics(options.labels, metric) : undefined;

    const ours = (name: string, help: string) => ({ registers, name: `sluice_${name}`, help });
    this.#syncs = new Counter({
      ...ours("syncs_total", "Changes that were applied, by what they cost."),
      labelNames: ["change"],
    });
    this.#reloads = new Counter({
      ...ours("reloads_total", "Reloads of nginx, by reason and outcome."),
      labelNames: ["why", "outcome"],
    });
    this.#live = new Histogram({
      ...ours("change_live_seconds", "Time from the notice of a change until it was live."),
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    });
    this.#problems = new Gauge({
      ...ours("problems", "Problems that there are now, by source and kind."),
      labelNames: ["source", "kind"],
    });
    if (options.enabled) registerNginxMetrics(this.#registry, options.labels, options.processes);
    const { labels, requests } = options;
    this.#requests = requests && new RequestMetrics({ ...requests, labels });
    this.#figures(ours);
  }

  synced({ change, reload, tookMs }: SyncReport): void {
    if (change.kind === "reload" && reload === undefined) return; // the report of the reload is still to come
    this.#syncs.inc({ change: change.kind });
    if (reload === undefined || reload.kind === "reloaded" || reload.kind === "unchanged")
      this.#live.observe(tookMs / 1000);
    if (reload === undefined) return;
    const reasons = change.kind === "reload" ? change.why : [];
    for (const why of reasons) this.#reloads.inc({ why: why.replace(/ \(.*\)$/, ""), outcome: reload.kind });
    const { labels, nowMs } = this.#options;
    const good = reload.kind === "reloaded" || reload.kind === "unchanged";
    this.#lastGood.set(labels, good ? 1 : 0);
    if (good) this.#lastGoodAt.set(labels, nowMs() / 1000);
    if (reload.kind === "reloaded") this.#successes.inc(labels);
    if (!good) this.#errors.inc(labels);
  }

  /** The webhook allowed or refused an Ingress. */
  checked(figures: CheckFigures): void {
    this.#admission?.checked(figures);
  }

  /** All Problems that `source` sees now. */
  problems(source: string, all: Table<readonly Problem[]>): void {
    const changes = all.changesSince(this.#problemsBySource.get(source) ?? Table.empty());
    this.#problemsBySource.set(source, all);
    for (const { before = [], after = [] } of changes) {
      for (const { kind } of before) this.#problems.dec({ source, kind });
      for (const { kind } of after) this.#problems.inc({ source, kind });
    }
  }

  /** The exposition that Prometheus scrapes. */
  async exposition(): Promise<{ readonly contentType: string; readonly text: string }> {
    const own = await this.#registry.metrics();
    const requests = this.#requests;
    if (requests === undefined) return { contentType: this.#registry.contentType, text: own };
    for (let counts = await this.#options.counts(); counts !== ""; counts = await this.#options.counts())
      requests.take(counts);
    return { contentType: this.#registry.contentType, text: `${own}${requests.exposition()}` };
  }

  #figures(ours: (name: string, help: string) => { registers: Registry[]; name: string; help: string }): void {
    const { nginx } = this.#options;
    const gauges = [
      ["nginx_workers", "Workers of nginx that accept connections.", "workers"],
      ["nginx_draining_workers", "Workers of older generations that finish their requests.", "drainingWorkers"],
      ["nginx_draining_generations", "Older generations with workers left.", "drainingGenerations"],
      ["nginx_restarts", "Times nginx was started again after it had died.", "restarts"],
      ["location_settings", "Distinct texts that locations have; a new one costs a reload.", "shapes"],
    ] as const;
    const folded = () => this.#requests?.folded ?? 0;
    new Gauge({
      ...ours(
        "request_labels_folded",
        "Times that labels of requests had no series of their own and were counted as other.",
      ),
      collect() {
        this.set(folded());
      },
    });
    for (const [name, help, figure] of gauges) {
      new Gauge({
        ...ours(name, help),
        collect() {
          this.set(nginx()[figure]);
        },
      });
    }
  }
}
