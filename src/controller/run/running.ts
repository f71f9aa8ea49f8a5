/**
 * The state that the parts of a running program share. Health and metrics read it even before there
 * is a controller.
 */

import { build } from "../../base/version.ts";
import type { Source, SyncReport } from "../../core/sync/ports.ts";
import { countByKind, emptyQuarantine, hasSuspects } from "../../core/table/quarantine.ts";
import type { Capability } from "../../core/tokens/capabilities.ts";
import type { Machine } from "../../core/tokens/machine.ts";
import type { Failures } from "../../edges/failures.ts";
import type { Health } from "../../edges/health/health.ts";
import type { MetricsOptions } from "../../edges/metrics/metrics.ts";
import type { InstalledNginx, RunFolder } from "../../nginx/index.ts";
import type { Controller } from "../controller.ts";
import { requestCounts } from "../flags/options.ts";
import type { Flags } from "../flags.ts";
import type { Ending } from "./ending.ts";
import { shadowFigures, shadowsOf } from "./shadows.ts";

/** The most objects that `?verbose` names; further ones are counted. */
const mostNotes = 20;
/** A liveness probe on the health path, as in ingress-nginx's chart, ends a Pod after 60 s. */
const mostSettlingSeconds = 30;

/** The nginx that was found, with facts about it. */
export interface NginxAtHand {
  readonly installed: InstalledNginx;
  readonly folder: RunFolder;
  readonly machine: Machine;
  readonly lacks: ReadonlySet<Capability>;
}

export class Running {
  readonly #uptime: () => number;
  #nginx: NginxAtHand | undefined;
  controller: Controller | undefined;
  templateTried = false;
  isReady = false;
  #hasServed = false;
  /**
   * The number of records in nginx's memory that another program had changed and that were
   * restored.
   */
  putRight = 0;
  #isSettled = false;
  /** nginx's message, if it refused the last configuration. */
  #refused: string | undefined;

  /** `uptime` returns the seconds since the start of the program. */
  constructor(uptime = process.uptime) {
    this.#uptime = uptime;
  }

  /** The nginx, for the parts that start after it was found. */
  get nginx(): NginxAtHand {
    if (this.#nginx === undefined) throw new Error("nginx was not looked for yet");
    return this.#nginx;
  }

  set nginx(found: NginxAtHand) {
    this.#nginx = found;
  }

  /** The controller, for the parts that start after it. */
  get started(): Controller {
    if (this.controller === undefined) throw new Error("the controller has not started yet");
    return this.controller;
  }

  /**
   * Whether the first configuration is complete. If nginx refuses it because of one object, others
   * are left out until that one is found: their hosts answer 404, and settings have their defaults,
   * which may open what a setting closes. Later searches do not matter, because the last good
   * versions stay in force meanwhile. The wait is short, because a kubelet ends Pods that are
   * unhealthy for too long.
   */
  get isSettled(): boolean {
    const quarantine = this.controller?.sync.quarantine ?? emptyQuarantine;
    this.#isSettled ||= this.#uptime() > mostSettlingSeconds || !hasSuspects(quarantine);
    return this.#isSettled;
  }

  /** Whether nginx has served at any health check so far. */
  get hasServed(): boolean {
    this.#hasServed ||= this.controller?.isServing === true;
    return this.#hasServed;
  }

  /** Returns sentences about everything that nginx refused and that is therefore not in force. */
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

  /**
   * Takes the report of a turn. `ready` is called once, when nginx serves the first configuration.
   */
  synced({ change, reload }: SyncReport, ready: () => void, ending: Ending): void {
    if (reload?.kind === "refused") this.#refused = reload.stderr.split("\n")[0];
    else if (reload !== undefined || change.kind !== "reload") this.#refused = undefined;
    // nginx fails at its first start for a reason outside of the configuration, such as a busy
    // port. At a later reload such a reason is temporary.
    if (reload?.kind === "unreachable" && !this.isReady && this.controller?.isServing !== true)
      ending.because(reload.cause);
    if (this.isReady || (reload?.kind !== "reloaded" && reload?.kind !== "unchanged")) return;
    this.isReady = true;
    ready();
  }
}

/** Returns the reason for the health check; undefined while nginx serves and answers. */
export async function whyNotServing(running: Running, limitMs: number): Promise<string | undefined> {
  if (running.controller?.isServing !== true) return "nginx serves nothing yet, or has ended";
  if (!running.templateTried) return "the template was not tried yet";
  if (!running.isSettled) return "nginx refuses an object, and the search for it is not over yet";
  if (!running.controller.isCurrent) return "nginx does not serve everything that the objects say yet";
  return (await running.controller.channel.answers(limitMs)) ? undefined : "nginx does not answer";
}

/** Returns the reason for a restart: nginx has served, and does not run or answer now. */
export async function whyStuck(running: Running, limitMs: number): Promise<string | undefined> {
  if (!running.hasServed) return undefined;
  if (running.controller?.isServing !== true) return "nginx has ended";
  return (await running.controller.channel.answers(limitMs)) ? undefined : "nginx does not answer";
}

/** Returns the labels that every metric of ingress-nginx has. */
export function metricLabels(flags: Flags, pod: { readonly namespace: string; readonly name: string }) {
  return {
    controller_namespace: pod.namespace,
    controller_class: flags.controllerClass,
    controller_pod: pod.name,
  };
}

/** Sources of metrics besides the controller itself. */
export interface Measured extends Pick<MetricsOptions, "leads"> {
  readonly flags: Flags;
  readonly pod: { readonly namespace: string; readonly name: string };
  readonly source: Source;
  readonly health: Health;
  readonly failures: Failures;
  readonly ceilingReached: (mostSeries: number) => void;
}

export function metricsOptions(running: Running, measured: Measured): MetricsOptions {
  const { flags, pod, source, leads, health, failures, ceilingReached } = measured;
  const { release, build: commit, repository } = build;
  const { perHost, full, buckets } = requestCounts(flags);
  const serves = (namespace: string, name: string) => source.snapshot().ingresses.has(`${namespace}/${name}`);
  const servesRoute = (route: string) => source.snapshot().httpRoutes.has(route);
  return {
    labels: metricLabels(flags, pod),
    build: { release, build: commit, repository },
    enabled: flags.enableMetrics,
    webhook: flags.validatingWebhook !== undefined,
    requests: flags.enableMetrics
      ? { perHost, full, buckets, exclude: flags.excludeSocketMetrics, serves, servesRoute, ceilingReached }
      : undefined,
    counts: async () => (await running.controller?.channel.counts()) ?? "",
    shadows: async () => shadowFigures(await shadowsOf(running.controller, flags)),
    processes: async () => {
      const { controller } = running;
      return (
        controller && { connections: await controller.channel.connections(), processes: controller.nginx.processes() }
      );
    },
    failures,
    nowMs: Date.now,
    served: () => running.controller?.sync.configuration,
    leads,
    generation: () => running.controller?.sync.live?.generation,
    own: async () => {
      const { nginx, renderer } = running.controller ?? {};
      const { workers = 0, drainingWorkers = 0, draining: drainingGenerations = 0 } = nginx?.generations() ?? {};
      const [restarts, shapes, putRight] = [nginx?.restarts ?? 0, renderer?.shapeCount ?? 0, running.putRight];
      const memory = await running.controller?.channel.state();
      const checks = await health.checks();
      const { objects, settings } = running.controller?.sync.refusals ?? emptyQuarantine;
      const quarantined = { ...countByKind(objects), ConfigMap: settings.size };
      return { workers, drainingWorkers, drainingGenerations, restarts, shapes, putRight, quarantined, memory, checks };
    },
  };
}
