/**
 * A whole controller for one source: it opens nginx, runs the sync, and can stop so that requests
 * in flight end. `run`, `serve` and the tests all start it; they differ in the source of the
 * Snapshot and in the listeners.
 */

import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { inMode } from "./directives/capabilities.ts";
import type { Machine } from "./directives/machine.ts";
import { openLiveStreams } from "./live-streams.ts";
import type { Certificate } from "./model/configuration.ts";
import type { ConnectionFigures } from "./model/nginx-figures.ts";
import { nameOf } from "./model/objects.ts";
import { instanceKey, isReplaced } from "./model/records.ts";
import { answerCheckedNames, type CheckedNameEvent } from "./names/checked-names.ts";
import { familyLookup } from "./names/lookup.ts";
import type { StreamPortEvent } from "./names/stream-endpoints.ts";
import { Channel, type MemoryState } from "./nginx/channel.ts";
import { Journal } from "./nginx/folder/journal.ts";
import { OpenedFiles } from "./nginx/folder/opened-files.ts";
import { strangeRecords } from "./nginx/held-records.ts";
import type { InstalledNginx, Nginx, NginxEvent, RunFolder } from "./nginx/index.ts";
import { Pass } from "./nginx/pass.ts";
import type { Routed, RouterQuestion } from "./nginx/routed.ts";
import { askResponders } from "./ocsp/ask.ts";
import { StapledSource, type StapleEvent } from "./ocsp/stapled-source.ts";
import type { ObjectName } from "./problem.ts";
import { openRenderer } from "./render/open-renderer.ts";
import type { Renderer } from "./render/rendering.ts";
import { settingsProblems } from "./render/settings/view.ts";
import { SteadyRenderer } from "./render/steady-renderer.ts";
import type { Template } from "./render/template.ts";
import { stateFile } from "./state-file.ts";
import type { Listener, Memory, Source } from "./sync/ports.ts";
import { Sync } from "./sync/sync.ts";
import { type TemplateVerdict, tryTemplate } from "./template/trial.ts";
import { systemClock } from "./timing/clock.ts";
import { TokenBucket } from "./timing/token-bucket.ts";
import type { TranslateOptions } from "./translate/options.ts";
import { SteadyTranslator } from "./translate/steady-translator.ts";

export interface ControllerOptions {
  readonly source: Source;
  readonly translate: TranslateOptions;
  readonly machine: Machine;
  /** The opened nginx and its run folder. */
  readonly installed: InstalledNginx;
  readonly folder: RunFolder;
  /** The built-in template. */
  readonly template: Template;
  readonly pace: Pace;
  /**
   * The certificate of hosts that have none. Its key takes another thread a tenth of a second, so a
   * program makes it first.
   */
  readonly fake: Promise<Certificate>;
  /** See `NginxOptions`. */
  readonly endWithController: boolean;
  readonly listener: Listener;
  readonly events: ControllerEvents;
}

/** How often nginx may be reloaded, and how often its memory is checked. */
export interface Pace {
  readonly syncRateLimit: number;
  readonly reloadBurst: number;
  /** See `NginxOptions`. */
  readonly maxDraining: number;
  readonly auditMs?: number;
}

/** Events beside the turns, for the log and metrics. */
export interface ControllerEvents {
  readonly nginx: (event: NginxEvent) => void;
  readonly staple: (event: StapleEvent) => void;
  readonly nameCheck: (event: CheckedNameEvent) => void;
  readonly streams: (event: StreamPortEvent) => void;
  /** Called when a template has failed on the present objects and the built-in one replaces it. */
  readonly templateGaveUp: (why: string) => void;
  /** Called with keys of records that another program had changed, and that were restored. */
  readonly strangeRecords: (keys: readonly string[]) => void;
}

export interface Controller {
  readonly sync: Sync;
  readonly renderer: Renderer;
  readonly machine: Machine;
  readonly nginx: Nginx;
  /**
   * Whether nginx serves a configuration of Sluice: one that was applied, or the last good one of a
   * former process.
   */
  readonly isServing: boolean;
  /** Rejects when the sync ends because of a bug. */
  readonly running: Promise<void>;
  /** Resolves when all changes so far are live or refused, those of streams among them. */
  settled(): Promise<void>;
  /**
   * Returns a part of the counts that workers have gathered since the last call, and removes it.
   * The text is empty when none is left.
   */
  counts(): Promise<string>;
  /** Returns nginx's counts of routes in shadow, as lines of JSON. */
  shadow(): Promise<string>;
  /** Returns the use of the records' memory; undefined if nginx does not answer or has none. */
  memory(): Promise<MemoryState | undefined>;
  /**
   * Returns where the running router sends a request. Returns undefined if nginx does not
   * answer, or refuses the request itself.
   */
  route(question: RouterQuestion): Promise<Routed | undefined>;
  /** Whether nginx answers within `limitMs`. */
  answers(limitMs: number): Promise<boolean>;
  /** See `Channel`. */
  readonly peers: Channel["peers"];
  /** Returns the number of connections; undefined while nginx does not answer. */
  connections(): Promise<ConnectionFigures | undefined>;
  /** Tries a template on the present Configuration, and uses it from now on if it works. */
  useTemplate(template: Template): Promise<TemplateVerdict>;
  /** Ends the sync, and nginx after the requests in flight, which get `limitMs`. */
  drain(limitMs: number): Promise<void>;
  /** Ends everything. It drains first, unless `drain` was called before. */
  stop(limitMs: number): Promise<void>;
}

export type StartedController =
  | { readonly ok: true; readonly controller: Controller }
  | { readonly ok: false; readonly why: string };

export async function startController(options: ControllerOptions): Promise<StartedController> {
  const { folder, machine, pace, events } = options;
  const endNames = answerCheckedNames({
    port: machine.ports.nameCheck,
    policy: options.translate.asked,
    lookup: familyLookup(machine.nameservers),
    report: events.nameCheck,
  });
  const journalOpened = Promise.withResolvers<Journal>();
  const records = journalOpened.promise.then((journal) => journal.records);
  const streams = openLiveStreams(machine, records, events.streams);
  const endAnswers = () => Promise.all([endNames(), streams.end()]);
  const opened = await options.installed.open({
    folder,
    endWithController: options.endWithController,
    maxDraining: pace.maxDraining,
    report: events.nginx,
  });
  if (!opened.ok) {
    await endAnswers();
    return opened;
  }
  const { nginx, found } = opened;

  const [journal, pass] = await Promise.all([
    Journal.open(folder.journal),
    options.installed.pass ?? Pass.issue(folder.controllerPass),
  ]);
  journalOpened.resolve(journal);
  const openedFiles = new OpenedFiles(folder);
  const channel = new Channel(folder.controlSocket, pass);
  const memory = memoryOf(journal, channel);
  if (!journal.records.has(instanceKey)) await journal.write([[instanceKey, randomUUID()]]);
  const held = new Map([...journal.records].filter(([key]) => key !== instanceKey && !isReplaced(key)));
  const plain = openRenderer(machine, options.template, held);
  const renderer = new SteadyRenderer(plain, options.template, events.templateGaveUp);
  const ending = new AbortController();
  const source = new StapledSource(
    options.source,
    { ask: askResponders(options.translate.asked), clock: systemClock, report: events.staple },
    ending.signal,
  );
  const sync = new Sync({
    source,
    translator: new SteadyTranslator(options.translate, await options.fake),
    renderer,
    memory,
    nginx: {
      apply: (text, signal) => {
        const alone = sync.configuration?.settings.enableSerialReloads === true;
        return nginx.apply({ ...text, files: text.files.filter((file) => !file.opened), alone }, signal);
      },
      keepOpened: (files) => openedFiles.keep(files, systemClock.now()),
      hasOlderWorkers: () => nginx.generations().draining > 0,
    },
    bucket: new TokenBucket(pace.syncRateLimit, pace.reloadBurst, systemClock.now()),
    clock: systemClock,
    listener: {
      problems: (all) => options.listener.problems(all),
      statuses: (wanted, progress) => {
        const { statuses } = options.listener;
        const report = () => statuses?.(wanted, progress);
        if (progress === "made") report();
        else streams.whenTaken(sync.configuration!.streams, report);
      },
      synced: (report) => {
        options.listener.synced(report);
        source.follow(stapledOf(sync.configuration));
      },
    },
    state: stateFile(join(folder.data, "state.json")),
    problemsOf: (settings) =>
      settingsProblems(settings, inMode(machine.mode, machine.capabilities), machine, configMapName(options.translate)),
    configMaps: {
      settings: options.translate.configMap,
      tcp: options.translate.tcpServicesConfigMap,
      udp: options.translate.udpServicesConfigMap,
    },
  });
  const audits = auditing(sync, options, ending.signal);
  const running = Promise.all([sync.run(ending.signal), audits]).then(() => {});
  const drained = async (limitMs: number) => {
    ending.abort();
    await running;
    await nginx.stop(limitMs);
  };
  let draining: Promise<void> | undefined;
  const drain = (limitMs: number) => {
    draining ??= drained(limitMs);
    return draining;
  };
  return {
    ok: true,
    controller: {
      sync,
      renderer,
      machine,
      nginx,
      running,
      settled: async () => {
        await sync.settled();
        await streams.taken(sync.configuration?.streams ?? []);
      },
      get isServing() {
        return nginx.pid !== undefined && (sync.live !== undefined || found.kind !== "nothing");
      },
      counts: () => channel.counts(),
      shadow: () => channel.shadow(),
      peers: (addresses) => channel.peers(addresses),
      memory: () => channel.state(),
      route: (question) => channel.route(question),
      answers: (limitMs) => channel.answers(limitMs),
      connections: () => channel.connections(),
      useTemplate: async (template) => {
        await sync.settled();
        const trial = { machine, nginx, builtIn: options.template, signal: ending.signal };
        const verdict = await tryTemplate(template, sync.configuration!, trial);
        if (verdict.kind === "good") {
          renderer.use(template);
          sync.wakeUp();
        }
        return verdict;
      },
      drain,
      stop: async (limitMs) => {
        await drain(limitMs);
        await endAnswers();
        channel.close();
      },
    },
  };
}

/** Checks at intervals whether another program has written to nginx's memory. */
async function auditing(sync: Sync, { pace, events }: ControllerOptions, signal: AbortSignal): Promise<void> {
  const { auditMs = 10_000 } = pace;
  while (!signal.aborted) {
    await delay(auditMs, undefined, { signal, ref: false }).catch(() => {});
    if (signal.aborted) return;
    const strange = await sync.audit();
    if (strange.length > 0) events.strangeRecords(strange);
  }
}

/** Returns the certificates whose OCSP answers are stapled. */
function stapledOf(configuration: Sync["configuration"]): readonly Certificate[] {
  if (configuration?.settings.enableOcsp !== true) return [];
  return [...configuration.certificates.values(), configuration.defaultCertificate];
}

function configMapName({ configMap = "" }: TranslateOptions): ObjectName {
  return { kind: "ConfigMap", ...nameOf(configMap) };
}

function memoryOf(journal: Journal, channel: Channel): Memory {
  return {
    records: journal.records,
    keep: (changes) => journal.write(changes),
    publish: (changes) => channel.publish(changes),
    wasWritten: async () => (await channel.otherWriting()) !== undefined,
    strange: async () => {
      const writing = await channel.otherWriting();
      const strange = await strangeRecords(channel, journal.records);
      if (writing !== undefined) channel.acceptWriting(writing);
      return strange;
    },
    isOurs: async () => (await channel.state())?.instance === journal.records.get(instanceKey),
  };
}
