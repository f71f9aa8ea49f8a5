/**
 * Metrics of syncs and reloads. Names with `nginx_ingress_controller_` have the same meaning as
 * with ingress-nginx. There every change is a reload, and here most changes are not. So
 * `sluice_syncs_total` counts changes by their cost, and `sluice_reloads_total` counts reloads by
 * their reason.
 */
import { Counter, Gauge, Histogram } from "prom-client";
import type { SyncReport } from "../../core/sync/ports.ts";
import type { MetricMakers } from "./makers.ts";

export interface SyncMetricsOptions {
  readonly labels: Readonly<Record<string, string>>;
  readonly nowMs: () => number;
  /** The hash of nginx's text, hexadecimal; undefined before nginx has a text. */
  readonly generation: () => string | undefined;
}

export class SyncMetrics {
  readonly #options: SyncMetricsOptions;
  readonly #lastGood: Gauge;
  readonly #lastGoodAt: Gauge;
  readonly #successes: Counter;
  readonly #errors: Counter;
  readonly #syncs: Counter<"change">;
  readonly #reloads: Counter<"why" | "outcome">;
  readonly #live: Histogram;
  readonly #bugs: Counter;
  /** Undefined before the first attempt. */
  #isGood: boolean | undefined;

  constructor(options: SyncMetricsOptions, { theirs, ours }: MetricMakers) {
    this.#options = options;
    this.#lastGood = new Gauge(
      theirs("config_last_reload_successful", "Whether the last attempt to reload nginx succeeded."),
    );
    this.#lastGoodAt = new Gauge(
      theirs("config_last_reload_successful_timestamp_seconds", "Time of the last successful reload."),
    );
    this.#successes = new Counter(theirs("success", "Reloads that worked."));
    this.#errors = new Counter(theirs("errors", "Reloads that failed."));
    const hash = () => this.#hash();
    new Gauge({
      ...theirs("config_hash", "Hash of the last configuration for nginx; 0 if nginx refused it."),
      collect() {
        this.set(options.labels, hash());
      },
    });
    this.#syncs = new Counter({
      ...ours("syncs_total", "Changes that were applied, by what they cost."),
      labelNames: ["change"],
    });
    this.#reloads = new Counter({
      ...ours("reloads_total", "Reloads of nginx, by reason and outcome."),
      labelNames: ["why", "outcome"],
    });
    this.#bugs = new Counter(
      ours("failed_turns_total", "Changes that were not applied because of a bug in Sluice; what was served went on."),
    );
    this.#live = new Histogram({
      ...ours("change_live_seconds", "Time from the report of a changed object until nginx served the change."),
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    });
  }

  synced({ change, reload, tookMs }: SyncReport): void {
    if (change.kind === "reload" && reload === undefined) return; // the report of the reload is still to come
    this.#syncs.inc({ change: change.kind });
    const good = reload === undefined || reload.kind === "reloaded" || reload.kind === "unchanged";
    if (good && change.kind !== "none") this.#live.observe(tookMs / 1000);
    const { labels, nowMs } = this.#options;
    this.#lastGood.set(labels, good ? 1 : 0);
    // Dashboards mark a reload wherever this time changes, so a success without a reload does not
    // change it.
    if (good && (reload !== undefined || this.#isGood !== true)) this.#lastGoodAt.set(labels, nowMs() / 1000);
    this.#isGood = good;
    if (reload === undefined) return;
    const reasons = change.kind === "reload" ? change.why : [];
    for (const why of reasons) this.#reloads.inc({ why: why.replace(/ \(.*\)$/, ""), outcome: reload.kind });
    if (reload.kind === "reloaded") this.#successes.inc(labels);
    if (!good) this.#errors.inc(labels);
    if (reload.kind === "failed") this.#bugs.inc();
  }

  /** Returns the hash with as many bits as a float can hold. */
  #hash(): number {
    const generation = this.#options.generation();
    return this.#isGood !== true || generation === undefined ? 0 : Number.parseInt(generation.slice(0, 13), 16);
  }
}
