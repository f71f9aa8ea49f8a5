/**
 * Keeps one nginx master running: starts it, or takes over an existing one, and restarts it when it
 * dies. It never changes the configuration: nginx runs the content of `folder.conf`. A dead
 * master's workers go on serving until they are replaced, so the wait before a restart is not an
 * outage.
 */
import { setTimeout as delay } from "node:timers/promises";
import { inBackground } from "../../base/callbacks.ts";
import { doublingMs } from "../../base/timing/doubling.ts";
import type { Control } from "../control.ts";
import { firstAnswer, type NotStarted } from "../first-answer.ts";
import type { RunFolder } from "../folder/paths.ts";
import { endAll, endOrphans, signal } from "../orphans.ts";
import { adoptMaster, type Master, startMaster } from "./master.ts";
import { isIdle, nginxProcesses } from "./processes.ts";

/** Events of nginx that no call has caused, for the log and the metrics. */
export type NginxEvent =
  | { readonly kind: "line"; readonly text: string }
  | { readonly kind: "started"; readonly pid: number; readonly orphans: number }
  | { readonly kind: "adopted"; readonly pid: number }
  | { readonly kind: "ended"; readonly pid: number; readonly how: string; readonly nextTryMs: number }
  | { readonly kind: "not-started"; readonly why: string; readonly nextTryMs: number }
  /** For an nginx in the other container: the container stops answering, or answers again. */
  | { readonly kind: "silent" }
  | { readonly kind: "answers" };

export interface SupervisorSetup {
  readonly binary: string;
  readonly folder: RunFolder;
  readonly control: Control;
  /** See `MasterSetup`. */
  readonly endWithController: boolean;
  readonly newInstance: () => string;
  readonly report: (event: NginxEvent) => void;
  /** The time that nginx may take to read its configuration and answer. */
  readonly startLimitMs: number;
}

export type Started = { readonly ok: true; readonly pid: number } | NotStarted;

/**
 * A master that ran for so long did not die because of its configuration, so the next restart comes
 * quickly again.
 */
const soundLifeMs = 30_000;
/** The time that orphans have to close their listeners before they are killed. */
const orphanLimitMs = 5_000;

/** The wait before nginx is started again. */
const restartDelays = { floorMs: 50, ceilingMs: 10_000 };

export class Supervisor {
  readonly #setup: SupervisorSetup;
  readonly #stopping = new AbortController();
  #master: Master | undefined;
  #starting: Promise<Started> | undefined;
  /** Masters that died. Their watchdogs still guard the workers that they left. */
  readonly #dead = new Set<Master>();
  #restarts = 0;
  /** Deaths and failed starts since nginx last ran for long enough. */
  #failures = 0;

  constructor(setup: SupervisorSetup) {
    this.#setup = setup;
  }

  /** The process id of the master, or undefined while none runs. */
  get pid(): number | undefined {
    return this.#master?.pid;
  }

  /** The number of times that nginx was started again after it had died. */
  get restarts(): number {
    return this.#restarts;
  }

  /** Takes over the nginx that an earlier controller left serving; false when there is none. */
  async adopt(): Promise<boolean> {
    const { folder, startLimitMs, report, endWithController } = this.#setup;
    if (endWithController) return false;
    const deadline = performance.now() + startLimitMs;
    while (nginxProcesses(folder).some(({ role }) => role === "starting") && performance.now() < deadline)
      await delay(20);
    const master = adoptMaster(folder);
    if (master === undefined) return false;
    this.#watch(master);
    report({ kind: "adopted", pid: master.pid });
    return true;
  }

  /**
   * Starts nginx unless it runs or is being started; resolves once it serves. A failed start is not
   * repeated from here.
   */
  start(): Promise<Started> {
    if (this.#master !== undefined) return Promise.resolve({ ok: true, pid: this.#master.pid });
    // The machine may fail in any step, such as with a run folder that is gone.
    const notStarted = ({ message }: Error): Started => ({ ok: false, why: `nginx did not start: ${message}.` });
    this.#starting ??= this.#start()
      .catch(notStarted)
      .finally(() => {
        this.#starting = undefined;
      });
    return this.#starting;
  }

  /**
   * Waits until no start is under way and the master has no more work, so that its workers are
   * known.
   */
  async settled(): Promise<void> {
    await this.#starting;
    const deadline = performance.now() + this.#setup.startLimitMs;
    const isBusy = (): boolean => this.#master !== undefined && !isIdle(this.#master.pid);
    while (isBusy() && !this.#stopping.signal.aborted && performance.now() < deadline) await delay(5);
  }

  /** Makes the master, if there is one, read its configuration again. */
  hup(): void {
    if (this.#master !== undefined) signal(this.#master.pid, "SIGHUP");
  }

  /**
   * Lets nginx finish its requests, for at most `limitMs`. Afterwards no process of it runs, and it
   * cannot be started again.
   */
  async stop(limitMs: number): Promise<void> {
    this.#stopping.abort();
    await endAll(this.#setup.folder, limitMs);
    await this.#starting;
    await endAll(this.#setup.folder, limitMs); // a start that was too young to be seen
    for (const master of [this.#master, ...this.#dead]) master?.forget();
    this.#dead.clear();
  }

  async #start(): Promise<Started> {
    const { folder, startLimitMs, report } = this.#setup;
    const orphans = await endOrphans(folder, orphanLimitMs);
    if (this.#stopping.signal.aborted) return { ok: false, why: "nginx was not started: it is being stopped." };
    this.#forgetDead();
    const onLine = (text: string): void => report({ kind: "line", text });
    const master = await startMaster({ ...this.#setup, onLine }, this.#setup.newInstance());
    if (master instanceof Error) return { ok: false, why: `nginx did not start: ${master.message}.` };
    const notStarted = await firstAnswer(this.#setup, master, startLimitMs);
    if (notStarted !== undefined) return notStarted;
    this.#watch(master);
    report({ kind: "started", pid: master.pid, orphans: orphans.length });
    return { ok: true, pid: master.pid };
  }

  #watch(master: Master): void {
    this.#master = master;
    const since = performance.now();
    const revived = master.gone.then((how) => {
      this.#master = undefined;
      this.#dead.add(master);
      if (!this.#stopping.signal.aborted) return this.#revive(master.pid, how, performance.now() - since);
    });
    inBackground("the restart of nginx", revived);
  }

  async #revive(pid: number, how: string, livedMs: number): Promise<void> {
    this.#failures = livedMs > soundLifeMs ? 1 : this.#failures + 1;
    this.#setup.report({ kind: "ended", pid, how, nextTryMs: doublingMs(this.#failures, restartDelays) });
    while (!this.#stopping.signal.aborted && this.#master === undefined) {
      await delay(doublingMs(this.#failures, restartDelays), undefined, { signal: this.#stopping.signal }).catch(
        () => {},
      );
      if (this.#stopping.signal.aborted) return;
      const started = await this.start();
      if (started.ok) {
        this.#restarts += 1;
        return;
      }
      this.#failures += 1;
      this.#setup.report({
        kind: "not-started",
        why: started.why,
        nextTryMs: doublingMs(this.#failures, restartDelays),
      });
    }
  }

  #forgetDead(): void {
    const left = this.#dead.size === 0 ? [] : nginxProcesses(this.#setup.folder);
    for (const master of this.#dead) {
      if (left.some(({ group }) => group === master.pid)) continue;
      master.forget();
      this.#dead.delete(master);
    }
  }
}
