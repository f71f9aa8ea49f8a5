/** What is known of the controller while it runs, as health and metrics ask for it: before, there is none to ask. */

import type { Controller } from "../../controller.ts";
import type { Health } from "../../health/health.ts";
import type { MetricsOptions } from "../../metrics/metrics.ts";
import type { Source, SyncReport } from "../../sync/ports.ts";
import { countByKind, emptyQuarantine } from "../../translate/quarantine.ts";
import { build } from "../../version.ts";
import type { Flags } from "../flags.ts";
import { requestCounts } from "../options.ts";

/** Objects that `?verbose` names; more are counted. */
const mostNotes = 20;

export class Running {
  controller: Controller | undefined;
  templateTried = false;
  isReady = false;
  /** Records that something else had written into nginx's memory. */
  putRight = 0;
  /** What nginx said of the last configuration, where it refused it. */
  #refused: string | undefined;
  /** nginx cannot serve for the first time, for a reason that is not in any configuration: a busy port. Later such a reason passes. */
  readonly unable = Promise.withResolvers<Error>();

  /** What is wrong while the last good configuration is served. */
  notes(): readonly string[] {
    const { objects, settings } = this.controller?.sync.refusals ?? emptyQuarantine;
    const aside = [
      ...[...objects].map(([key, { why }]) => `${key} is set aside: nginx refused it: ${why}`),
      ...[...settings].map(([key, { why }]) => `setting ${key} is set aside: nginx refused it: ${why}`),
    ];
    const behind = this.#refused !== undefined && this.controller?.sync.isBehind === true;
    const refused = behind ? [`nginx refuses the configuration: ${this.#refused}`] : [];
    const more = aside.length - mostNotes;
    return [...refused, ...aside.slice(0, mostNotes), ...(more > 0 ? [`and ${more} more`] : [])];
  }

  synced({ change, reload }: SyncReport, ready: () => void): void {
    if (reload?.kind === "refused") this.#refused = reload.stderr.split("\n")[0];
    else if (reload !== undefined || change.kind !== "reload") this.#refused = undefined;
    if (reload?.kind === "unreachable" && !this.isReady && this.controller?.isServing !== true)
      this.unable.resolve(reload.cause);
    if (this.isReady || (reload?.kind !== "reloaded" && reload?.kind !== "unchanged")) return;
    this.isReady = true;
    ready();
  }
}

/** For the health check: undefined while nginx serves and answers. */
export async function whyNotServing(running: Running, limitMs: number): Promise<string | undefined> {
  if (running.controller?.isServing !== true) return "nginx serves nothing yet, or has ended";
  if (!running.templateTried) return "the template was not tried yet";
  return (await running.controller.answers(limitMs)) ? undefined : "nginx does not answer";
}

/** Labels of every metric of ingress-nginx. */
export function metricLabels(flags: Flags, pod: { readonly namespace: string; readonly name: string }) {
  return {
    controller_namespace: pod.namespace,
    controller_class: flags.controllerClass,
    controller_pod: pod.name,
  };
}

/** What metrics are made of besides the controller itself. */
export interface Measured extends Pick<MetricsOptions, "leads"> {
  readonly flags: Flags;
  readonly pod: { readonly namespace: string; readonly name: string };
  readonly source: Source;
  readonly health: Health;
  readonly ceilingReached: (mostSeries: number) => void;
}

export function metricsOptions(running: Running, measured: Measured): MetricsOptions {
  const { flags, pod, source, leads, health, ceilingReached } = measured;
  const { release, build: commit, repository } = build;
  const { perHost, full, buckets } = requestCounts(flags);
  const serves = (namespace: string, name: string) => source.snapshot().ingresses.has(`${namespace}/${name}`);
  return {
    labels: metricLabels(flags, pod),
    build: { release, build: commit, repository },
    enabled: flags.enableMetrics,
    webhook: flags.validatingWebhook !== undefined,
    requests: flags.enableMetrics
      ? { perHost, full, buckets, exclude: flags.excludeSocketMetrics, serves, ceilingReached }
      : undefined,
    counts: async () => (await running.controller?.counts()) ?? "",
    processes: async () => running.controller?.figures(),
    nowMs: Date.now,
    served: () => running.controller?.sync.configuration,
    leads,
    generation: () => running.controller?.sync.live?.generation,
    own: async () => {
      const { nginx, renderer } = running.controller ?? {};
      const { workers = 0, drainingWorkers = 0, draining: drainingGenerations = 0 } = nginx?.generations() ?? {};
      const [restarts, shapes, putRight] = [nginx?.restarts ?? 0, renderer?.shapeCount ?? 0, running.putRight];
      const memory = await running.controller?.memory();
      const checks = await health.checks();
      const { objects, settings } = running.controller?.sync.refusals ?? emptyQuarantine;
      const quarantined = { ...countByKind(objects), ConfigMap: settings.size };
      return { workers, drainingWorkers, drainingGenerations, restarts, shapes, putRight, quarantined, memory, checks };
    },
  };
}
