/**
 * Builds the sync of a controller from its parts. Some ports look at the present Configuration of
 * the sync itself, such as whether reloads have to wait for older workers.
 */
import { join } from "node:path";
import { type Clock, systemClock } from "../base/timing/clock.ts";
import { TokenBucket } from "../base/timing/token-bucket.ts";
import type { Certificate } from "../core/model/configuration.ts";
import { nameOf } from "../core/model/objects.ts";
import type { ObjectName } from "../core/model/problem.ts";
import { settingsProblems } from "../core/render/settings/view.ts";
import type { SteadyRenderer } from "../core/render/steady-renderer.ts";
import type { Memory, Nginx as NginxPort } from "../core/sync/ports.ts";
import { Sync } from "../core/sync/sync.ts";
import type { TranslateOptions } from "../core/table/options.ts";
import { SteadyTranslator } from "../core/table/steady-translator.ts";
import { inMode } from "../core/tokens/capabilities.ts";
import type { StapledSource } from "../edges/ocsp/stapled-source.ts";
import { OpenedFiles } from "../nginx/folder/opened-files.ts";
import { type Nginx, portsInUse } from "../nginx/index.ts";
import type { LiveStreams } from "./live-streams.ts";
import type { ControllerOptions } from "./options.ts";
import { stateFile } from "./state-file.ts";

/** What has been opened for the sync. */
export interface Opened {
  readonly source: StapledSource;
  readonly renderer: SteadyRenderer;
  readonly memory: Memory;
  readonly nginx: Nginx;
  readonly streams: LiveStreams;
  readonly fake: Certificate;
}

export function syncOf(options: ControllerOptions, opened: Opened): Sync {
  const { folder, machine, translate, pace, disk, clock = systemClock } = options;
  const { source, renderer, memory, streams, fake } = opened;
  const sync: Sync = new Sync({
    source,
    translator: new SteadyTranslator(translate, fake),
    renderer,
    memory,
    nginx: nginxPort(opened.nginx, new OpenedFiles(folder, disk), clock, () => sync),
    bucket: new TokenBucket({ perSecond: pace.syncRateLimit, burst: pace.reloadBurst }, clock),
    clock,
    listener: {
      problems: (all) => options.listener.problems(all),
      statuses: (wanted, progress) => {
        const report = () => options.listener.statuses?.(wanted, progress);
        if (progress === "made") report();
        else streams.whenTaken(sync.configuration!.streams, report);
      },
      synced: (report) => {
        options.listener.synced(report);
        source.follow(stapledOf(sync.configuration));
      },
    },
    state: stateFile(join(folder.data, "state.json"), disk),
    problemsOf: (settings) =>
      settingsProblems(settings, inMode(machine.mode, machine.capabilities), machine, configMapName(translate)),
    configMaps: {
      settings: translate.configMap,
      tcp: translate.tcpServicesConfigMap,
      udp: translate.udpServicesConfigMap,
    },
  });
  return sync;
}

/** Returns the certificates whose OCSP answers are stapled. */
function stapledOf(configuration: Sync["configuration"]): readonly Certificate[] {
  if (configuration?.settings.enableOcsp !== true) return [];
  return [...configuration.certificates.values(), configuration.defaultCertificate];
}

function configMapName({ configMap = "" }: TranslateOptions): ObjectName {
  return { kind: "ConfigMap", ...nameOf(configMap) };
}

/** The part of nginx that the sync uses. Files that workers open at requests are kept apart. */
function nginxPort(nginx: Nginx, openedFiles: OpenedFiles, clock: Clock, sync: () => Sync): NginxPort {
  return {
    apply: (text, signal) => {
      const alone = sync().configuration?.settings.enableSerialReloads === true;
      return nginx.apply({ ...text, files: text.files.filter((file) => !file.opened), alone }, signal);
    },
    keepOpened: (files) => openedFiles.keep(files, clock.now()),
    hasOlderWorkers: () => nginx.generations().draining > 0,
    portsInUse,
  };
}
