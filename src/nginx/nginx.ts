/**
 * nginx as the rest of the code uses it: it is opened once, gets whole configurations, and is
 * stopped. It may run before the controller does (taken over, or started from the last good text on
 * disk), so traffic does not wait for the first sync.
 */
import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { repeat } from "../base/callbacks.ts";
import type { ProcessFigures } from "../core/model/nginx-figures.ts";
import { CoalescedRuns, type Request } from "./coalescing.ts";
import { type TestOutcome, testText } from "./configuration-test.ts";
import { Control } from "./control.ts";
import { processFigures } from "./figures.ts";
import { writeAtomically } from "./folder/files.ts";
import { lock } from "./folder/lock.ts";
import type { RunFolder } from "./folder/paths.ts";
import { GenerationBook, type Generations } from "./generations.ts";
import { Pass } from "./pass.ts";
import { type NginxEvent, Supervisor } from "./process/supervisor.ts";
import { Reloader, type ReloadOutcome, type RenderedConfiguration } from "./reload.ts";
import { boundErrors } from "./upstream-errors.ts";

export interface NginxOptions {
  /** `Capabilities.binary`. */
  readonly binary: string;
  readonly folder: RunFolder;
  /** See `MasterSetup`: true for `serve`, false if an init restarts the controller. */
  readonly endWithController: boolean;
  /**
   * The most older generations of workers that may be draining when a reload begins; with more, the
   * reload waits.
   */
  readonly maxDraining: number;
  readonly report: (event: NginxEvent) => void;
  /** The time after which a start or reload of nginx counts as failed. */
  readonly limitMs?: number;
  /** The interval at which unused files are removed. */
  readonly pruneEveryMs?: number;
}

export interface Nginx {
  /**
   * Makes nginx serve `rendered`. While a reload runs or has to wait, only the newest request is
   * carried out, for all callers.
   */
  apply(rendered: RenderedConfiguration, signal: AbortSignal): Promise<ReloadOutcome>;
  /** Tests `conf` with nginx, and changes nothing. The files that it names must exist. */
  test(conf: string, signal: AbortSignal): Promise<TestOutcome>;
  generations(): Generations;
  processes(): ProcessFigures;
  /** The process id of the master, undefined while none runs. */
  readonly pid: number | undefined;
  /** The number of times that nginx was restarted after it had died. */
  readonly restarts: number;
  /**
   * Makes each answer close its connection, so that clients open their next one elsewhere. nginx
   * still accepts connections. It is called some time before `stop`.
   */
  closeConnections(): Promise<void>;
  /**
   * Lets requests in flight end for at most `limitMs`, and then ends nginx. An nginx that outlives
   * this process is released instead.
   */
  stop(limitMs: number): Promise<void>;
}

/**
 * The nginx that serves when `openNginx` returns: one that was running, one started from disk, or
 * none (with `why` if one was tried).
 */
export type Found =
  | { readonly kind: "running" | "last-good" | "nothing" }
  | { readonly kind: "failed"; readonly why: string };

export type OpenedNginx =
  | { readonly ok: true; readonly nginx: Nginx; readonly found: Found }
  | { readonly ok: false; readonly why: string };

/**
 * Locks the run folder and starts what it holds. Fails with one sentence, only when another
 * controller has the folder.
 */
export async function openNginx(options: NginxOptions): Promise<OpenedNginx> {
  const { folder, limitMs = 60_000, maxDraining, pruneEveryMs = 1_000 } = options;
  const locked = await lock(folder.lock);
  if (!locked.ok) return locked;
  const control = new Control(folder.controlSocket, await Pass.issue(folder.nginxPass));
  const supervisor = new Supervisor({ ...options, control, startLimitMs: limitMs, newInstance: randomUUID });
  const generations = new GenerationBook(folder);
  const reloader = new Reloader({ ...options, control, supervisor, generations, limitMs });

  const fewDraining = async (newest: () => Request<RenderedConfiguration>): Promise<void> => {
    const most = () => (newest().work.alone === true ? 1 : maxDraining);
    while (!newest().signal.aborted && generations.look().draining >= most()) await delay(50);
  };
  const closing = new AbortController();
  const reloads = new CoalescedRuns(fewDraining, (rendered: RenderedConfiguration, signal) =>
    reloader.apply(rendered, signal),
  );
  const found = await bringUp(supervisor, reloader);
  const pruning = repeat("the removal of unused files", pruneEveryMs, () => {
    reloader.prune();
    boundErrors(folder.upstreamErrors);
  }).unref();
  const nginx: Nginx = {
    apply: (rendered, signal) => reloads.ask(rendered, AbortSignal.any([signal, closing.signal])),
    async test(conf, signal) {
      await writeAtomically(folder.trialConf, conf);
      return testText({ binary: options.binary, folder, limitMs }, folder.trialConf, signal);
    },
    generations: () => generations.look(),
    processes: () => processFigures(folder),
    get pid() {
      return supervisor.pid;
    },
    get restarts() {
      return supervisor.restarts;
    },
    closeConnections: () => control.closeConnections(),
    async stop(limitMs) {
      clearInterval(pruning);
      closing.abort();
      await supervisor.stop(limitMs);
      await reloads.idle();
      await locked.release();
    },
  };
  return { ok: true, nginx, found };
}

async function bringUp(supervisor: Supervisor, reloader: Reloader): Promise<Found> {
  if (await supervisor.adopt()) return { kind: "running" };
  const restored = await reloader.restoreLastGood().catch((error: Error) => error);
  if (restored instanceof Error)
    return { kind: "failed", why: `The run folder cannot be written: ${restored.message}.` };
  if (!restored) return { kind: "nothing" };
  const started = await supervisor.start();
  return started.ok ? { kind: "last-good" } : { kind: "failed", why: started.why };
}
