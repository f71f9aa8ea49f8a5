/**
 * Starts the controller: from here on nginx serves what the source has. When the program ends, the
 * part `traffic` stops nginx.
 */
import type { Certificate } from "../../core/model/configuration.ts";
import type { Listener, Source } from "../../core/sync/ports.ts";
import type { TranslateOptions } from "../../core/table/options.ts";
import { journalLog } from "../../edges/log/journal-log.ts";
import type { Log } from "../../edges/log/log.ts";
import { nginxLog } from "../../edges/log/nginx-log.ts";
import type { CheckedNameEvent } from "../../edges/names/checked-names.ts";
import type { StreamPortEvent } from "../../edges/names/stream-endpoints.ts";
import type { StapleEvent } from "../../edges/ocsp/stapled-source.ts";
import { builtInTemplate } from "../../nginx/template/built-in.ts";
import { gaveUp } from "../../nginx/template/watched.ts";
import { startController } from "../controller.ts";
import type { Instruments } from "./instruments.ts";
import { pageAddress } from "./page.ts";
import { orCannotStart, type Part, stoppedBy } from "./part.ts";
import type { Program } from "./program.ts";

export interface Controlled {
  readonly source: Source;
  readonly translate: () => Promise<TranslateOptions>;
  /** See `ControllerOptions`. */
  readonly fake: Promise<Certificate>;
  /** Called for each turn, after log and metrics: Events, status. */
  readonly listeners: readonly Listener[];
  /** See `NginxOptions`. */
  readonly endWithController: boolean;
  readonly maxDraining: number;
  /** Called once, when nginx serves the first configuration. */
  readonly ready?: () => void;
}

export function controllerPart(
  program: Program,
  { reports, changes, notes, shadows }: Instruments,
  controlled: Controlled,
): Part {
  const { flags, log, write, notices, ending, running } = program;
  const { source, fake, listeners, endWithController, maxDraining } = controlled;
  return {
    name: "controller",
    async start() {
      const { installed, folder, machine, lacks } = running.nginx;
      const { version } = installed.capabilities;
      const ready = () => {
        const page = pageAddress(flags);
        const ports = { http: flags.httpPort, https: flags.httpsPort };
        log.info({ ...ports, nginx: version, ...(page === undefined ? {} : { page }) }, "serving");
        controlled.ready?.();
      };
      warnOfLacks(program);
      const started = await startController({
        source,
        translate: { ...(await controlled.translate()), enableSslPassthrough: machine.passthrough, lacks },
        machine,
        installed,
        folder,
        template: await builtInTemplate(),
        fake,
        pace: { syncRateLimit: flags.syncRateLimit, reloadBurst: flags.reloadBurst, maxDraining },
        endWithController,
        listener: reports.listener(source, [
          ...listeners,
          { problems: () => {}, synced: (report) => running.synced(report, ready, ending) },
          {
            problems: () => {},
            synced: (report) => changes.synced(report, source.snapshot(), running.controller?.sync.live?.generation),
          },
          shadows.listener,
          notes.listener,
        ]),
        events: {
          nginx: nginxLog({ log, write, notices }),
          staple: stapleLog(log),
          journal: journalLog(log),
          nameCheck: nameCheckLog(log),
          streams: streamPortLog(log),
          templateGaveUp: (why) => reports.few("template", [gaveUp(why)]),
          strangeRecords: (keys) => {
            running.putRight += keys.length;
            const some = keys.slice(0, 5);
            log.warn(
              { records: keys.length, some },
              "nginx's memory held records that this controller did not write; they are put right",
            );
          },
        },
      });
      const { controller } = orCannotStart(started);
      running.controller = controller;
      controller.running.catch((bug) => ending.crash(bug));
      return stoppedBy(() => controller.stop(0));
    },
  };
}

function warnOfLacks({ flags, log, running }: Program): void {
  const { machine } = running.nginx;
  if (machine.mode !== flags.mode) log.warn("nginx has no Lua module: every change is a reload, as with --mode=static");
  if (machine.mode === "static" && flags.enableMetrics) log.warn("requests are not counted: that needs the Lua");
  if (flags.enableSslPassthrough && !machine.passthrough)
    log.warn("--enable-ssl-passthrough has no effect: nginx here reads no server name in its stream module");
}

/** Logs each name that resolves to a forbidden address, once. */
function nameCheckLog(log: Log): (event: CheckedNameEvent) => void {
  return (event) => {
    if (event.kind === "refused") {
      const { name, why } = event;
      log.warn({ name, why }, "a name in an auth-url or a mirror-target is not asked");
    } else {
      const { port, why } = event;
      log.warn({ port, why }, "names are not looked up for nginx until the port is free (--name-check-port)");
    }
  };
}

/** Logs that another process uses the port on which nginx queries the endpoints of streams. */
function streamPortLog(log: Log): (event: StreamPortEvent) => void {
  return ({ port, why }) => {
    log.warn({ port, why }, "streams keep the endpoints that they have until the port is free (--stream-port)");
  };
}

/**
 * Logs OCSP answers. A failure is logged once, and again only after an answer or another failure.
 */
function stapleLog(log: Log): (event: StapleEvent) => void {
  const reported = new Map<string, string>();
  return (event) => {
    const { certificate } = event;
    if (event.kind === "stapled") {
      reported.delete(certificate);
      log.info({ certificate, until: event.until?.toISOString() }, "OCSP answer stapled");
    } else if (reported.get(certificate) !== event.why) {
      reported.set(certificate, event.why);
      log.warn({ certificate, why: event.why }, "no OCSP answer, so none is stapled");
    }
  };
}
