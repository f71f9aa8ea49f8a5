/**
 * A controller with everything around it: log, metrics, health, the watched template. Parts are started in order and stopped
 * in reverse. What cannot be had at the start is one sentence and an end; later only a signal or a bug ends the program.
 */

import { type ControllerOptions, startController } from "../../controller.ts";
import { inMode, lackingOf } from "../../directives/capabilities.ts";
import { Health } from "../../health/health.ts";
import { openHealthServer } from "../../health/server.ts";
import type { Log } from "../../log/log.ts";
import { nameCheckLog } from "../../log/name-check-log.ts";
import { nginxLog } from "../../log/nginx-log.ts";
import { stapleLog } from "../../log/staple-log.ts";
import { type MachineFlags, machineOf } from "../../machine.ts";
import { Metrics } from "../../metrics/metrics.ts";
import {
  type FoundNginx,
  type InstalledNginx,
  openRunFolder,
  type Place,
  type RunFolder,
  writeAtomically,
} from "../../nginx/index.ts";
import { OperatorToken } from "../../operator-token.ts";
import { startProfiling, withoutProfiling } from "../../profiler/profiler.ts";
import type { OpenedProfiler } from "../../profiler/server.ts";
import { compileTemplate } from "../../render/template.ts";
import { routesOf } from "../../routes/routes.ts";
import { openRouteSocket } from "../../routes/socket.ts";
import type { Listener, Source } from "../../sync/ports.ts";
import { written } from "../../sync/written.ts";
import { builtInTemplates, readTemplateFiles } from "../../template/files.ts";
import { gaveUp, watchTemplate } from "../../template/watched.ts";
import type { TranslateOptions } from "../../translate/options.ts";
import { build } from "../../version.ts";
import type { Flags } from "../flags.ts";
import { machineFlags } from "../options.ts";
import { endOfPatienceMs } from "./ending.ts";
import { Reports } from "./reports.ts";
import { metricsOptions, Running, whyNotServing } from "./running.ts";

export interface Operation {
  readonly flags: Flags;
  readonly translate: TranslateOptions;
  readonly source: Source;
  /** Those of the source itself, and of the flags: called once, with what takes them and with what nginx lacks. */
  readonly otherProblems: (reports: Reports, lacks: TranslateOptions["lacks"]) => void;
  readonly log: Log;
  /** Where nginx's own lines go, and whether those below a warning do. */
  readonly lines: { readonly write: (text: string) => void; readonly notices: boolean };
  readonly nginx: FoundNginx;
  readonly runFolder: string;
  /** The user's template folder, where there is one. */
  readonly templateFolder: string | undefined;
  /** Where nginx's logs go when no setting says so. */
  readonly logs: (folder: RunFolder, place: Place) => Pick<MachineFlags, "accessLog" | "errorLog">;
  /** See `NginxOptions`. */
  readonly endWithController: boolean;
  readonly maxDraining: number;
  /** Who this controller is, for the labels of metrics. */
  readonly pod: { readonly namespace: string; readonly name: string };
  /** Metrics of whatever else the source is made of, as Prometheus reads them. */
  readonly moreMetrics: () => Promise<string>;
  /** Whether this controller speaks for all its replicas. */
  readonly leads: () => boolean;
  /** Told besides log and metrics: Events, status. */
  readonly listeners: readonly Listener[];
  /** Resolves, with why, when everything is to end; with an Error when it cannot go on. */
  readonly told: Promise<string | Error>;
  /** What has to end before nginx does. */
  readonly leave: () => Promise<void>;
  readonly timing: Timing;
  /** Called once, when nginx serves what there is. */
  readonly ready: () => void;
}

export interface Timing {
  /** From the end of being healthy until nginx closes its listeners. */
  readonly graceMs: number;
  /** What requests in flight get; left out where that is up to nginx, which has the setting worker-shutdown-timeout. */
  readonly drainMs?: number;
  /** From the end of nginx until the program ends. */
  readonly afterMs: number;
}

/** Workers keep what they have counted for some seconds of heavy traffic, whether or not somebody scrapes. */
const collectMs = 2_000;

export type Operated = { readonly kind: "ended" } | { readonly kind: "failed"; readonly why: string };

/** Resolves when everything has ended; rejects with a bug. */
export async function operate(operation: Operation): Promise<Operated> {
  const { flags, log, nginx: found } = operation;
  if (!found.ok) return failed(found.why);
  const opened = openRunFolder(operation.runFolder);
  if (!opened.ok) return failed(opened.why);
  const { folder } = opened;

  const running = new Running();
  const token = new OperatorToken();
  const stopAsked = Promise.withResolvers<string>();
  const health = new Health({
    nginx: () => whyNotServing(running, flags.healthCheckTimeout * 1000),
    notes: () => running.notes(),
  });
  const { pod, source, leads } = operation;
  const ceilingReached = (series: number) =>
    log.warn({ series }, "request metrics are at their ceiling; requests with further labels are counted as other");
  const metrics = new Metrics(metricsOptions(running, { flags, pod, source, leads, health, ceilingReached }));
  const reports = new Reports(log, metrics);
  const server = await openHealthServer({
    port: flags.healthzPort,
    host: flags.healthzHost,
    healthPath: flags.healthCheckPath,
    health,
    metrics: async () => {
      const { contentType, text } = await metrics.exposition();
      return { contentType, text: `${text}${await operation.moreMetrics()}` };
    },
    build,
    token,
    stop: () => stopAsked.resolve("POST /stop"),
  });
  if (!server.ok) return failed(server.why);
  const profiler = flags.profiling ? await profiling(operation, folder, token) : withoutProfiling(process);
  if (!profiler.ok) {
    await server.close();
    return failed(profiler.why);
  }
  operation.otherProblems(reports, lackingOf(inMode(flags.mode, found.nginx.capabilities)));

  const prepared = { folder, installed: found.nginx, reports, running };
  const started = await startController(controllerOptions(operation, prepared));
  if (!started.ok) {
    await profiler.close();
    await server.close();
    return failed(started.why);
  }
  const { controller } = started;
  running.controller = controller;
  const { sync } = controller;
  // The run folder is this controller's alone from here on. The disk may be full, which keeps nothing from being served.
  const unwritten = await written(writeAtomically(folder.token, `${token.text}\n`));
  if (unwritten !== undefined)
    log.warn({ why: unwritten.message }, "there is no operator.token: the file cannot be written");
  const closeRoutes = await openRouteSocket(
    folder.routesSocket,
    token,
    (host) => sync.configuration && routesOf(sync.configuration, operation.source.snapshot(), host, sync.lastGood),
  );
  const collecting = setInterval(() => void metrics.collect(), collectMs);
  const template = watchTemplate({
    own: operation.templateFolder,
    offer: (one) => controller.useTemplate(one),
    told: (problem) => {
      reports.few("template", problem === undefined ? [] : [problem]);
      if (problem === undefined) log.info("the template is used from now on");
    },
  });
  void template.then(() => {
    running.templateTried = true;
  });

  const bug = controller.running.then(() => new Promise<never>(() => {}));
  const why = await Promise.race([operation.told, stopAsked.promise, running.unable.promise, bug]);
  health.end();
  const { graceMs, drainMs, afterMs } = operation.timing;
  const within = drainMs === undefined ? sync.configuration?.settings.workerShutdownTimeout : `${drainMs / 1000}s`;
  const early = typeof why !== "string";
  if (!early) {
    log.info({ because: why, within }, "ending; requests in flight are finished");
    await pause(graceMs);
  }
  await operation.leave();
  clearInterval(collecting);
  await controller.stop(early ? 0 : (drainMs ?? endOfPatienceMs));
  void template.then((stop) => stop());
  if (!early) await pause(afterMs);
  await closeRoutes();
  await profiler.close();
  await server.close();
  return early ? failed(why.message) : { kind: "ended" };
}

/** What is there before the controller starts. */
interface Prepared {
  readonly folder: RunFolder;
  readonly installed: InstalledNginx;
  readonly reports: Reports;
  readonly running: Running;
}

function controllerOptions(
  { flags, source, translate, log, lines, logs, listeners, ready, endWithController, maxDraining }: Operation,
  { folder, installed, reports, running }: Prepared,
): ControllerOptions {
  const builtIn = compileTemplate(readTemplateFiles(builtInTemplates));
  if (!builtIn.ok) throw new Error(`the built-in template: ${builtIn.why}`);
  const { capabilities, place } = installed;
  const machine = machineOf(capabilities, place, folder, machineFlags(flags, logs(folder, place)));
  if (machine.mode !== flags.mode) log.warn("nginx has no Lua module: every change is a reload, as with --mode=static");
  if (machine.mode === "static" && flags.enableMetrics) log.warn("requests are not counted: that needs the Lua");
  if (flags.enableSslPassthrough && !machine.passthrough)
    log.warn("--enable-ssl-passthrough has no effect: nginx here reads no server name in its stream module");
  return {
    source,
    translate: {
      ...translate,
      enableSslPassthrough: machine.passthrough,
      lacks: lackingOf(inMode(machine.mode, capabilities)),
    },
    machine,
    installed,
    folder,
    template: builtIn.template,
    templateGaveUp: (why) => reports.few("template", [gaveUp(why)]),
    syncRateLimit: flags.syncRateLimit,
    reloadBurst: flags.reloadBurst,
    maxDraining,
    endWithController,
    listener: reports.listener(source, [
      ...listeners,
      { problems: () => {}, synced: (report) => running.synced(report, ready) },
    ]),
    nginxEvent: nginxLog({ log, ...lines }),
    strangeRecords: (keys) => {
      running.putRight += keys.length;
      const some = keys.slice(0, 5);
      log.warn(
        { records: keys.length, some },
        "nginx's memory held records that this controller did not write; they are put right",
      );
    },
    stapleEvent: stapleLog(log),
    nameCheckEvent: nameCheckLog(log),
  };
}

function profiling({ flags, log }: Operation, folder: RunFolder, token: OperatorToken): Promise<OpenedProfiler> {
  const { profilerAddress: address, profilerPort: port } = flags;
  const inspected = (at: string | undefined): void =>
    log.warn({ address: at }, "Node's inspector is open for this machine until the controller ends");
  return startProfiling({ address, port, token, folder: folder.data, inspected, host: process });
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function failed(why: string): Operated {
  return { kind: "failed", why };
}
