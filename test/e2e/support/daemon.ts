/**
 * One long-running program of a test: started, paused, stopped and started again, with its output
 * in a log file. The kernel kills it when the test process dies in any way (`setpriv --pdeathsig`),
 * so a crashed test run leaves nothing behind.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

export interface DaemonOptions {
  readonly name: string;
  readonly command: readonly string[];
  readonly folder: string;
  /** Resolves to true when the program answers. */
  readonly isReady: () => Promise<boolean>;
  readonly env?: Readonly<Record<string, string>>;
  /** The time that it may take to end before it is killed; 60 s by default. */
  readonly endMs?: number;
}

export class Daemon {
  readonly #options: DaemonOptions;
  #child: ChildProcess | undefined;

  constructor(options: DaemonOptions) {
    this.#options = options;
  }

  get logFile(): string {
    return `${this.#options.folder}/${this.#options.name}.log`;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /**
   * Starts it and waits some minutes at most until it is ready. Throws with the end of its log
   * if that fails.
   */
  async start(): Promise<void> {
    const { command, folder, env, isReady, name } = this.#options;
    const log = openSync(this.logFile, "a");
    const child = spawn("setpriv", ["--pdeathsig", "KILL", "--", ...command], {
      cwd: folder,
      env: { ...process.env, ...env },
      stdio: ["ignore", log, log],
    });
    closeSync(log);
    this.#child = child;
    const deadline = performance.now() + 200_000;
    while (!(await isReady())) {
      const failed = hasEnded(child) ? "ended" : performance.now() > deadline ? "is not ready" : undefined;
      if (failed) throw new Error(`${name} ${failed}:\n${readFileSync(this.logFile, "utf8").slice(-2_000)}`);
      await sleep(50);
    }
  }

  /**
   * Stops it, and kills it when that takes too long; returns its exit code. Does nothing when it is
   * not running.
   */
  async stop(signal: NodeJS.Signals = "SIGTERM"): Promise<number | null | undefined> {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined || hasEnded(child)) return child?.exitCode;
    const ended = once(child, "exit");
    child.kill(signal);
    const impatience = setTimeout(() => child.kill("SIGKILL"), this.#options.endMs ?? 60_000);
    await ended;
    clearTimeout(impatience);
    return child.exitCode;
  }

  /** Waits until it has ended by itself; returns its exit code. */
  async ended(): Promise<number | null | undefined> {
    const child = this.#child;
    if (child !== undefined && !hasEnded(child)) await once(child, "exit");
    return child?.exitCode;
  }

  async restart(): Promise<void> {
    await this.stop();
    await this.start();
  }

  /** Sends a signal, and does not wait. */
  signal(name: NodeJS.Signals): void {
    this.#child?.kill(name);
  }

  /** Suspends it: its sockets stay open, and it answers nothing. */
  pause(): void {
    this.#child?.kill("SIGSTOP");
  }

  resume(): void {
    this.#child?.kill("SIGCONT");
  }
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess) => exitCode !== null || signalCode !== null;
