/**
 * Applies a configuration: it tests the text, puts it in place, reloads nginx, and proves that the
 * reload has worked. Whatever fails, nginx goes on with the previous text, the disk has that text
 * again, and the outcome has the reason. Only the very first start of a run folder needs no test.
 * `nginx.conf.last-good` is always a text that was seen to serve.
 */
import { link, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { type Refused, testText, type Unreachable, warningsIn } from "./configuration-test.ts";
import type { Control } from "./control.ts";
import {
  bytesOf,
  type ConfigurationFile,
  ConfigurationFiles,
  overwrite,
  ownerOf,
  sameBytes,
  sync,
  type Written,
} from "./folder/files.ts";
import type { RunFolder } from "./folder/paths.ts";
import type { GenerationBook } from "./generations.ts";
import type { Supervisor } from "./process/supervisor.ts";
import { type Expected, type NotLive, type Proof, proveLive } from "./proof.ts";

/** A whole configuration, as rendered. */
export interface RenderedConfiguration {
  /**
   * The text of nginx.conf. It contains the control server, but not `daemon`, `pid` or the
   * `load_module` of compiled modules.
   */
  readonly conf: string;
  /**
   * The answer of `GET /generation` on the control socket with this text: a hash of everything that
   * nginx reads.
   */
  readonly generation: string;
  /**
   * Every file in our folders that the text names. Other files there are removed when no worker can
   * need them any more.
   */
  readonly files: readonly ConfigurationFile[];
  /** Whether the reload waits until no worker of an older generation is left. */
  readonly alone?: boolean;
}

export type ReloadOutcome =
  /**
   * `tookMs` is the time until no connection reaches an old worker, and new ones answer. With
   * `started`, no nginx ran before, and this one has filled its memory from the disk.
   */
  | {
      readonly kind: "reloaded";
      readonly tookMs: number;
      readonly warnings: readonly string[];
      readonly started?: true;
    }
  /** nginx already runs exactly this configuration. */
  | { readonly kind: "unchanged" }
  /** nginx refuses this text, so trying it again is of no use. */
  | Refused
  | Unreachable;

export interface ReloadParts {
  readonly binary: string;
  readonly folder: RunFolder;
  readonly control: Control;
  readonly supervisor: Supervisor;
  readonly generations: GenerationBook;
  /** The limit for a test, and for a reload. */
  readonly limitMs: number;
}

export class Reloader {
  readonly #parts: ReloadParts;
  readonly #files: ConfigurationFiles;
  /** The files of the accepted configuration, and of the one that was tried last. */
  #named: ReadonlySet<string> | undefined;
  #coming: ReadonlySet<string> = new Set();
  #pruned = true;
  #triedFirst = false;

  constructor(parts: ReloadParts) {
    this.#parts = parts;
    this.#files = new ConfigurationFiles(parts.folder);
  }

  /** Applies the configuration. It must not run twice at a time. */
  async apply(rendered: RenderedConfiguration, signal: AbortSignal): Promise<ReloadOutcome> {
    this.#coming = new Set(rendered.files.map(({ path }) => path));
    try {
      const outcome = await this.#apply(rendered, signal);
      if (outcome.kind === "reloaded" || outcome.kind === "unchanged") {
        this.#named = this.#coming;
        this.#pruned = false;
      }
      return outcome;
    } catch (error) {
      if (!isSystemError(error)) throw error;
      return { kind: "unreachable", cause: named(error) };
    }
  }

  /**
   * Removes files that no accepted configuration names, if no draining worker may open them. It is
   * called now and then.
   */
  prune(): void {
    const named = this.#named;
    if (this.#pruned || named === undefined || this.#parts.generations.look().draining > 0) return;
    this.#files.prune((path) => named.has(path) || this.#coming.has(path));
    this.#pruned = true;
  }

  async #apply(rendered: RenderedConfiguration, signal: AbortSignal): Promise<ReloadOutcome> {
    const since = performance.now();
    const { folder, control, supervisor } = this.#parts;
    const written = await this.#files.write(rendered.files);
    if (written.changed === 0 && (await this.#alreadyRuns(rendered))) return { kind: "unchanged" };
    await writeFile(folder.candidateConf, rendered.conf, { mode: 0o600, flag: overwrite });
    const first = !signal.aborted && (await this.#isFirst()) ? await this.#startFirst(since) : undefined;
    if (first?.live === true) return first.outcome;
    const test = testText(this.#parts, folder.candidateConf, signal);
    const [tested] = await Promise.all([test, sync(folder.candidateConf)]);
    if (tested.kind !== "accepted") {
      await written.undo();
      if (tested.kind === "refused") await rename(folder.candidateConf, folder.refusedConf);
      return tested;
    }
    await rename(folder.candidateConf, folder.conf);
    await supervisor.settled();
    const before = await control.generation();
    const starts = supervisor.pid === undefined;
    // A start that failed for another reason than the text is not repeated.
    const proof = first ?? (starts ? await this.#start() : await this.#reload(rendered, signal));
    if (!proof.live) return this.#goBack(proof, written, before);
    const tookMs = performance.now() - since;
    await this.#keepAsLastGood();
    return { kind: "reloaded", tookMs, warnings: tested.warnings, ...(starts ? { started: true } : {}) };
  }

  /** Whether no nginx has ever served from this folder. This is so only once. */
  async #isFirst(): Promise<boolean> {
    const { folder, supervisor } = this.#parts;
    await supervisor.settled();
    if (this.#triedFirst || supervisor.pid !== undefined) return false;
    this.#triedFirst = true;
    return (await bytesOf(folder.lastGoodConf)) === undefined;
  }

  /**
   * Starts nginx without a test, which would take as long as the start itself: nothing serves yet
   * that a mistake could interrupt, and nginx refuses the same texts at its start. If it does
   * not start, the test follows, because it says more about the mistake.
   */
  async #startFirst(since: number): Promise<NotLive | { readonly live: true; readonly outcome: ReloadOutcome }> {
    const { folder } = this.#parts;
    await rename(folder.candidateConf, folder.conf);
    const [proof] = await Promise.all([this.#start(), sync(folder.conf)]);
    if (!proof.live) {
      await rename(folder.conf, folder.candidateConf);
      return proof;
    }
    const tookMs = performance.now() - since;
    await this.#keepAsLastGood();
    const warnings = warningsIn(await readFile(folder.emergencies, "utf8"));
    return { live: true, outcome: { kind: "reloaded", tookMs, warnings, started: true } };
  }

  /**
   * Puts the last good text in place for a start; false when there is none. The text of another
   * account does not count, because nginx's workers would run as a user who cannot read the keys.
   */
  async restoreLastGood(): Promise<boolean> {
    const { folder } = this.#parts;
    if ((await ownerOf(folder.lastGoodConf)) !== process.getuid?.()) return false;
    await replaceByLink(folder.lastGoodConf, folder.conf);
    return true;
  }

  async #alreadyRuns({ conf, generation }: RenderedConfiguration): Promise<boolean> {
    const { folder, control, supervisor } = this.#parts;
    const live = await bytesOf(folder.conf);
    if (live === undefined || !sameBytes(live, conf) || supervisor.pid === undefined) return false;
    return (await control.generation()) === generation;
  }

  async #start(): Promise<Proof> {
    const started = await this.#parts.supervisor.start();
    return started.ok ? { live: true } : { live: false, ...started };
  }

  async #reload({ conf, generation }: RenderedConfiguration, signal: AbortSignal): Promise<Proof> {
    const { supervisor, generations } = this.#parts;
    const oldWorkers = generations.current();
    const expected = await this.#expect(generation, oldWorkers, workersOf(conf));
    supervisor.hup();
    const proof = await proveLive(this.#parts, expected, signal);
    if (proof.live) generations.replaced(oldWorkers);
    return proof;
  }

  async #expect(generation: string, oldWorkers: readonly number[], workers?: number): Promise<Expected> {
    const { folder, limitMs } = this.#parts;
    return { generation, oldWorkers, workers, emergenciesBefore: (await stat(folder.emergencies)).size, limitMs };
  }

  /**
   * Returns to the previous text. A master that refused the new text needs nothing more. A master
   * that accepted a text which does not work has to read the previous one again.
   */
  async #goBack({ why, failure }: NotLive, written: Written, before: string | undefined): Promise<ReloadOutcome> {
    const { supervisor } = this.#parts;
    await written.undo();
    const restored = await this.restoreLastGood();
    if (restored && supervisor.pid !== undefined && failure?.by !== supervisor.pid) {
      const expected = await this.#expect(before ?? "", []);
      supervisor.hup();
      if (before !== undefined) await proveLive(this.#parts, expected, AbortSignal.timeout(expected.limitMs));
    }
    if (failure?.textAtFault) return { kind: "refused", stderr: why };
    const names = failure?.names === undefined ? {} : { names: failure.names };
    return { kind: "unreachable", cause: new Error(why), ...names };
  }

  async #keepAsLastGood(): Promise<void> {
    const { folder } = this.#parts;
    await replaceByLink(folder.conf, folder.lastGoodConf);
    await sync(folder.root);
  }
}

/** Reads the number of workers from the text, because the template may be the user's own. */
function workersOf(conf: string): number | undefined {
  const number = /^\s*worker_processes\s+(\d+);/m.exec(conf)?.[1];
  return number === undefined ? undefined : Number(number);
}

/**
 * Makes `to` the same file as `from`, in one step. Neither is ever overwritten in place, so a
 * change of one does not change the other.
 */
async function replaceByLink(from: string, to: string): Promise<void> {
  const draft = `${to}.new`;
  await rm(draft, { force: true });
  await link(from, draft);
  await rename(draft, to);
  await rm(draft, { force: true }); // rename leaves it where both are the same file already
}

/**
 * Returns the error with the name of the folder: Node's write errors name no path, and a machine
 * has many disks.
 */
function named(error: NodeJS.ErrnoException): Error {
  if (error.syscall?.startsWith("spawn")) return error;
  return new Error(`the run folder cannot be written: ${error.message}`, { cause: error });
}

/**
 * Whether the machine is the cause, such as a full disk or a file that may not be written, and not
 * this program.
 */
function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && "syscall" in error;
}
