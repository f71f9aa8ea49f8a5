/**
 * The instruments of a controller: its health, its metrics, its last changes, and the reports that
 * fill log and metrics.
 */
import { setTimeout as delay } from "node:timers/promises";
import { attentionOf } from "../../ask/attention.ts";
import { History } from "../../ask/page/history.ts";
import { PageNotes } from "../../ask/page/notes.ts";
import { RecentChanges } from "../../ask/page/recent-changes.ts";
import { EndedShadows } from "../../ask/page/shadow/ended.ts";
import { systemClock } from "../../base/timing/clock.ts";
import type { Source } from "../../core/sync/ports.ts";
import { emptyQuarantine } from "../../core/table/quarantine.ts";
import { Failures } from "../../edges/failures.ts";
import { Health } from "../../edges/health/health.ts";
import { Metrics } from "../../edges/metrics/metrics.ts";
import { decideOptions } from "../flags/options.ts";
import { Reports } from "../run/reports.ts";
import { metricsOptions, whyNotServing, whyStuck } from "../run/running.ts";
import type { Program } from "./program.ts";

export interface Instruments {
  readonly health: Health;
  readonly metrics: Metrics;
  readonly failures: Failures;
  readonly reports: Reports;
  readonly changes: RecentChanges;
  readonly notes: PageNotes;
  readonly shadows: EndedShadows;
  /** Undefined with --ui-history=false. */
  readonly history: History | undefined;
}

export interface Measured {
  readonly source: Source;
  /** The Pod of this controller, for the labels of metrics. */
  readonly pod: { readonly namespace: string; readonly name: string };
  /** Whether this controller acts for all its replicas. */
  readonly leads: () => boolean;
}

export function instrumentsOf({ flags, log, running }: Program, measured: Measured): Instruments {
  const limitMs = flags.healthCheckTimeout * 1000;
  /** The worst three things beside what nginx refused. */
  const worst = (): readonly string[] => {
    const { sync, nginx } = running.controller ?? {};
    if (sync === undefined || nginx === undefined) return [];
    const about = { isRunning: nginx.pid !== undefined, behind: undefined, refusals: emptyQuarantine, failures };
    const all = attentionOf({ ...about, served: sync.configuration, problems: reports.current });
    return all.slice(0, 3).map(({ says }) => says);
  };
  const health = new Health({
    nginx: () => whyNotServing(running, limitMs),
    stuck: () => whyStuck(running, limitMs),
    notes: () => [...running.notes(), ...worst()],
  });
  const ceilingReached = (series: number) =>
    log.warn({ series }, "request metrics are at their ceiling; requests with further labels are counted as other");
  const failures = new Failures(Date.now);
  const metrics = new Metrics(metricsOptions(running, { ...measured, flags, health, failures, ceilingReached }));
  const notes = new PageNotes(Date.now);
  const reports = new Reports(log, metrics, notes);
  const shadows = new EndedShadows({
    configuration: () => running.controller?.sync.configuration,
    counts: async () => (await running.controller?.channel.shadow()) ?? "",
    options: decideOptions(flags),
    now: () => new Date(),
    changed: () => notes.touched(),
    pause: () => delay(1_000, undefined, { ref: false }),
  });
  const changes = new RecentChanges(systemClock);
  const totals = () => ({ reloads: changes.reloads.succeeded, changes: changes.count });
  const keepsHistory = flags.uiHistory && flags.uiPort !== 0;
  const history = keepsHistory ? new History(metrics.requests, () => systemClock.now(), totals) : undefined;
  return { health, metrics, failures, reports, changes, notes, shadows, history };
}
