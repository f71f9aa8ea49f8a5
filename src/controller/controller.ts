/**
 * A whole controller for one source: it opens nginx, runs the sync, and can stop so that requests
 * in flight end. `run`, `serve` and the tests all start it; they differ in the source of the
 * Snapshot and in the listeners.
 */

import { attempt } from "../base/callbacks.ts";
import { sleep, systemClock } from "../base/timing/clock.ts";
import { openRenderer } from "../core/render/open-renderer.ts";
import type { Renderer } from "../core/render/rendering.ts";
import { SteadyRenderer } from "../core/render/steady-renderer.ts";
import type { Template } from "../core/render/template.ts";
import type { Memory } from "../core/sync/ports.ts";
import type { Sync } from "../core/sync/sync.ts";
import type { Machine } from "../core/tokens/machine.ts";
import { answerCheckedNames } from "../edges/names/checked-names.ts";
import { familyLookup } from "../edges/names/lookup.ts";
import { askResponders } from "../edges/ocsp/ask.ts";
import { StapledSource } from "../edges/ocsp/stapled-source.ts";
import type { Channel } from "../nginx/channel.ts";
import type { Nginx, OpenedNginx } from "../nginx/index.ts";
import { type TemplateVerdict, tryTemplate } from "../nginx/template/trial.ts";
import { openMemory } from "./held-memory.ts";
import { openLiveStreams } from "./live-streams.ts";
import type { ControllerOptions } from "./options.ts";
import { syncOf } from "./sync.ts";

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
  /**
   * Whether nginx has served what the objects say. While these cannot be read, it is also true for
   * an nginx that has everything of a former process.
   */
  readonly isCurrent: boolean;
  /** Rejects when the sync ends because of a bug. */
  readonly running: Promise<void>;
  /** Resolves when all changes so far are live or refused, those of streams among them. */
  settled(): Promise<void>;
  /** Answers questions about nginx. Only the sync writes to it. */
  readonly channel: Pick<Channel, "counts" | "shadow" | "state" | "answers" | "peers" | "connections">;
  /** Tries a template on the present Configuration, and uses it from now on if it works. */
  useTemplate(template: Template): Promise<TemplateVerdict>;
  /** Ends the sync, and nginx after the requests in flight, which get `limitMs`. */
  drain(limitMs: number): Promise<void>;
  /** Ends everything. It drains first, unless `drain` was called before. */
  stop(limitMs: number): Promise<void>;
}

/**
 * The wait for the API server at a start with an nginx that serves what it served last. A healthy
 * API server has listed a large cluster by then. A liveness probe on the health path ends a Pod
 * that stays unhealthy for a minute.
 */
const apiPatienceMs = 10_000;

export type StartedController =
  | { readonly ok: true; readonly controller: Controller }
  | { readonly ok: false; readonly why: string };

/**
 * Starts the controller. Names and endpoints that nginx asks for are answered before nginx starts,
 * because it may ask at once.
 */
export async function startController(options: ControllerOptions): Promise<StartedController> {
  const { folder, machine, installed, template, events } = options;
  const memoryOpened = Promise.withResolvers<Memory>();
  const endNames = answerNames(options);
  const streams = openLiveStreams(
    machine,
    memoryOpened.promise.then(({ records }) => records),
    events.streams,
  );
  const endAnswers = () => Promise.all([endNames(), streams.end()]);
  const opened = await openNginx(options);
  if (!opened.ok) {
    await endAnswers();
    return opened;
  }
  const { nginx, found } = opened;

  const { channel, memory, former, isFilled } = await openMemory(folder, installed, events.journal, options.disk);
  memoryOpened.resolve(memory);
  const plain = openRenderer(machine, template, former);
  const renderer = new SteadyRenderer(plain, template, events.templateGaveUp);
  const ending = new AbortController();
  const source = stapledSource(options, ending.signal);
  const sync = syncOf(options, { source, renderer, memory, nginx, streams, fake: await options.fake });
  const audits = auditing(sync, options, ending.signal);
  const isLeft = found.kind !== "nothing" && (isFilled || machine.mode === "static");
  const isCurrent = currency(sync, options, isLeft);
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
      channel,
      running,
      settled: async () => {
        await sync.settled();
        await streams.taken(sync.configuration?.streams ?? []);
      },
      get isServing() {
        return nginx.pid !== undefined && (sync.live !== undefined || found.kind !== "nothing");
      },
      get isCurrent() {
        return isCurrent();
      },
      useTemplate: async (next) => {
        await sync.settled();
        const trial = { machine, nginx, builtIn: template, signal: ending.signal };
        const verdict = await tryTemplate(next, sync.configuration!, trial);
        if (verdict.kind === "good") {
          renderer.use(next);
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

/**
 * Returns the function for `Controller.isCurrent`. `isLeft` says that nginx has everything of a
 * former process.
 */
function currency(sync: Sync, { source, clock = systemClock }: ControllerOptions, isLeft: boolean): () => boolean {
  let [isKnown, isCurrent] = [source.synced === undefined, false];
  const know = () => {
    isKnown = true;
  };
  // If it rejects, the sync ends and reports the bug.
  source.synced?.then(know, () => {});
  const startedAt = clock.now();
  return () => {
    const isAway = !isKnown && clock.now() - startedAt > apiPatienceMs;
    isCurrent ||= sync.hasCaughtUp || (isLeft && isAway);
    return isCurrent;
  };
}

/** Answers nginx's questions for the addresses of names. Returns a function that ends this. */
function answerNames(options: ControllerOptions): () => Promise<void> {
  const { machine, translate, events, answerNames: answer = answerCheckedNames } = options;
  return answer({
    port: machine.ports.nameCheck,
    policy: translate.asked,
    lookup: familyLookup(machine.nameservers),
    report: events.nameCheck,
  });
}

function openNginx({ installed, folder, endWithController, pace, events }: ControllerOptions): Promise<OpenedNginx> {
  return installed.open({ folder, endWithController, maxDraining: pace.maxDraining, report: events.nginx });
}

function stapledSource(options: ControllerOptions, signal: AbortSignal): StapledSource {
  const { source, translate, events, clock = systemClock } = options;
  const ask = askResponders(translate.asked);
  return new StapledSource(source, { ask, clock, report: events.staple }, signal);
}

/** Checks at intervals whether another program has written to nginx's memory. */
async function auditing(
  sync: Sync,
  { pace, events, clock = systemClock }: ControllerOptions,
  signal: AbortSignal,
): Promise<void> {
  const { auditMs = 10_000 } = pace;
  while (!signal.aborted) {
    await sleep(clock, auditMs, signal);
    if (signal.aborted) return;
    const strange = await attempt("the check of nginx's memory", () => sync.audit());
    if (strange !== undefined && strange.length > 0) events.strangeRecords(strange);
  }
}
