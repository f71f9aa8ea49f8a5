/** The instruments of a controller: its health, its metrics, and the reports that fill log and metrics. */
import { Health } from "../../health/health.ts";
import { Metrics } from "../../metrics/metrics.ts";
import type { Source } from "../../sync/ports.ts";
import { Reports } from "../run/reports.ts";
import { metricsOptions, whyNotServing } from "../run/running.ts";
import type { Program } from "./program.ts";

export interface Instruments {
  readonly health: Health;
  readonly metrics: Metrics;
  readonly reports: Reports;
}

export interface Measured {
  readonly source: Source;
  /** The Pod of this controller, for the labels of metrics. */
  readonly pod: { readonly namespace: string; readonly name: string };
  /** Whether this controller acts for all its replicas. */
  readonly leads: () => boolean;
}

export function instrumentsOf({ flags, log, running }: Program, measured: Measured): Instruments {
  const health = new Health({
    nginx: () => whyNotServing(running, flags.healthCheckTimeout * 1000),
    notes: () => running.notes(),
  });
  const ceilingReached = (series: number) =>
    log.warn({ series }, "request metrics are at their ceiling; requests with further labels are counted as other");
  const metrics = new Metrics(metricsOptions(running, { ...measured, flags, health, ceilingReached }));
  return { health, metrics, reports: new Reports(log, metrics) };
}
