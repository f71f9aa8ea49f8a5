/**
 * The controller's metrics about itself. Names with `nginx_ingress_controller_` are those of
 * ingress-nginx, with its labels, and are served with --enable-metrics; names with `sluice_` are
 * metrics that ingress-nginx lacks, and are always served.
 */
import { Counter, collectDefaultMetrics, Gauge, Registry } from "prom-client";
import { shared } from "../../base/timing/shared.ts";
import type { Problem } from "../../core/model/problem.ts";
import { Table } from "../../core/model/table.ts";
import type { SyncReport } from "../../core/sync/ports.ts";
import type { Failures } from "../failures.ts";
import { AdmissionMetrics, type CheckFigures } from "./admission-metrics.ts";
import { CertificateMetrics, certificateDeclarations, firstToExpire, type Served } from "./certificate-metrics.ts";
import { type DeclaredMetric, declaredIn } from "./declared.ts";
import type { MetricMakers } from "./makers.ts";
import { type RunningFigures, registerNginxMetrics } from "./nginx-metrics.ts";
import { orphanDeclaration, orphanExposition } from "./orphan-metrics.ts";
import { type OwnFigures, registerOwnGauges } from "./own-gauges.ts";
import { ProcessMetrics } from "./process-metrics.ts";
import { RequestMetrics, type RequestMetricsOptions, requestDeclarations } from "./request-metrics.ts";
import { registerShadowMetric, type ShadowFigure } from "./shadow-metrics.ts";
import { SyncMetrics, type SyncMetricsOptions } from "./sync-metrics.ts";

/** Counts the present Problems, by source and kind. */
class ProblemMetrics {
  readonly #problems: Gauge<"source" | "kind">;
  readonly #bySource = new Map<string, Table<readonly Problem[]>>();

  constructor({ ours }: MetricMakers) {
    this.#problems = new Gauge({
      ...ours("problems", "Problems that there are now, by source and kind."),
      labelNames: ["source", "kind"],
    });
  }

  /** Sets all present Problems of `source`. */
  renew(source: string, all: Table<readonly Problem[]>): void {
    const changes = all.changesSince(this.of(source));
    this.#bySource.set(source, all);
    for (const { before = [], after = [] } of changes) {
      for (const { kind } of before) this.#problems.dec({ source, kind });
      for (const { kind } of after) this.#problems.inc({ source, kind });
    }
  }

  of(source: string): Table<readonly Problem[]> {
    return this.#bySource.get(source) ?? Table.empty();
  }
}

export interface MetricsOptions extends Omit<SyncMetricsOptions, "labels"> {
  /** Labels of every metric of ingress-nginx. */
  readonly labels: {
    readonly controller_namespace: string;
    readonly controller_class: string;
    readonly controller_pod: string;
  };
  readonly build: { readonly release: string; readonly build: string; readonly repository: string };
  /** The flag --enable-metrics. */
  readonly enabled: boolean;
  /** Whether there is a webhook whose reviews are counted. */
  readonly webhook: boolean;
  /** Called at a scrape. */
  readonly own: () => Promise<Omit<OwnFigures, "folded" | "firstExpiry">>;
  /** Figures of connections and processes; undefined while nginx does not run. */
  readonly processes: () => Promise<RunningFigures | undefined>;
  /** The Configuration that is served; undefined before there is one. */
  readonly served: () => Served | undefined;
  /** Whether this controller acts for all its replicas. */
  readonly leads: () => boolean;
  /** Options for the metrics of requests. If they are undefined, requests are not counted. */
  readonly requests: Omit<RequestMetricsOptions, "labels" | "failures"> | undefined;
  /** Returns a part of the workers' counts since the last call; empty when none is left. */
  readonly counts: () => Promise<string>;
  /** The failures of endpoints, which are counted by reason. */
  readonly failures: Pick<Failures, "counts" | "request">;
  /** Returns the requests that routes in shadow would have taken since nginx started. */
  readonly shadows: () => Promise<readonly ShadowFigure[]>;
}

function registerFailureMetric({ ours }: MetricMakers, failures: Pick<Failures, "counts">): void {
  new Counter({
    ...ours("upstream_errors_total", "Tries of requests on an endpoint that failed, by nginx's reason."),
    labelNames: ["reason"],
    collect() {
      this.reset();
      for (const [reason, count] of failures.counts) this.inc({ reason }, count);
    },
  });
}

export class Metrics {
  readonly #registry = new Registry();
  readonly #options: MetricsOptions;
  readonly #process: ProcessMetrics;
  readonly #sync: SyncMetrics;
  readonly #problems: ProblemMetrics;
  readonly #certificates: CertificateMetrics;
  readonly #admission: AdmissionMetrics | undefined;
  readonly #requests: RequestMetrics | undefined;

  constructor(options: MetricsOptions) {
    this.#options = options;
    const { labels, requests, enabled } = options;
    const registers = [this.#registry];
    const makers: MetricMakers = {
      theirs: (name, help) => ({
        registers: enabled ? registers : [],
        labelNames: Object.keys(labels),
        name: `nginx_ingress_controller_${name}`,
        help,
      }),
      ours: (name, help) => ({ registers, labelNames: [], name: `sluice_${name}`, help }),
    };
    collectDefaultMetrics({ register: this.#registry });
    this.#process = new ProcessMetrics(this.#registry);
    const about = makers.theirs("build_info", "A constant 1 with labels about the version of the controller.");
    const build = new Gauge({ ...about, labelNames: [...about.labelNames, ...Object.keys(options.build)] });
    build.set({ ...labels, ...options.build }, 1);
    this.#sync = new SyncMetrics(options, makers);
    this.#problems = new ProblemMetrics(makers);
    this.#certificates = new CertificateMetrics(labels.controller_class);
    this.#admission = options.webhook ? new AdmissionMetrics(labels, makers.theirs) : undefined;
    if (enabled) registerNginxMetrics(this.#registry, labels, options.processes);
    this.#requests = requests && new RequestMetrics({ ...requests, labels, failures: options.failures });
    registerFailureMetric(makers, options.failures);
    registerShadowMetric(makers, options.shadows);
    registerOwnGauges(makers, async () => {
      const served = options.served();
      return {
        ...(await options.own()),
        folded: this.#requests?.folded ?? 0,
        firstExpiry: served && firstToExpire(served),
      };
    });
  }

  synced(report: SyncReport): void {
    this.#sync.synced(report);
  }

  /** Counts an Ingress that the webhook allowed or refused. */
  checked(figures: CheckFigures): void {
    this.#admission?.checked(figures);
  }

  /** Sets all present Problems of `source`. */
  problems(source: string, all: Table<readonly Problem[]>): void {
    this.#problems.renew(source, all);
  }

  /** Adds counts of workers, so that they need not keep them until the next scrape. */
  readonly collect = shared(() => this.#collect());

  /** The counted requests; undefined if requests are not counted. */
  get requests(): Pick<RequestMetrics, "follow" | "bounds"> | undefined {
    return this.#requests;
  }

  /** Returns the text that Prometheus scrapes. */
  exposition(): Promise<{ readonly contentType: string; readonly text: string }> {
    return this.#process.scraped(async () => {
      const { contentType } = this.#registry;
      const own = await this.#registry.metrics();
      await this.collect();
      const text = `${own}${this.#servedText()}${this.#requests?.exposition() ?? ""}`;
      return { contentType, text };
    });
  }

  /** Returns all metrics that may be served, including those without a value so far. */
  declared(): readonly DeclaredMetric[] {
    const labels = Object.keys(this.#options.labels);
    const labelled = [...requestDeclarations, orphanDeclaration].map((one) => ({
      ...one,
      labels: [...labels, ...one.labels],
    }));
    return [...declaredIn(this.#registry), ...labelled, ...certificateDeclarations];
  }

  #servedText(): string {
    const { enabled, served, labels, leads } = this.#options;
    const now = enabled ? served() : undefined;
    if (now === undefined) return "";
    const orphans = orphanExposition(now, this.#problems.of("sync").values(), Object.entries(labels));
    return this.#certificates.exposition(now, leads()) + orphans;
  }

  async #collect(): Promise<void> {
    if (this.#requests === undefined) return;
    const { counts } = this.#options;
    for (let some = await counts(); some !== ""; some = await counts()) this.#requests.take(some);
  }
}
