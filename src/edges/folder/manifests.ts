/**
 * Keeps the Snapshot of a folder of YAML: the source of `serve`, which needs no cluster. Editors
 * and copy commands write files in steps, so a change that removes objects only counts when the
 * file is still the same a moment later. Additions and edits count at once.
 */
import { join } from "node:path";
import { inBackground } from "../../base/callbacks.ts";
import { fileError } from "../../base/file-errors.ts";
import { bugWords, guarded } from "../../base/guarded.ts";
import type { Clock } from "../../base/timing/clock.ts";
import { pauses } from "../../base/timing/pauses.ts";
import { watchFolder } from "../../base/watched-folder.ts";
import type { Unread } from "../../core/model/gist.ts";
import type { ObjectName, Problem } from "../../core/model/problem.ts";
import type { Snapshot } from "../../core/model/snapshot.ts";
import type { Table } from "../../core/model/table.ts";
import type { Source } from "../../core/sync/ports.ts";
import { Library, type LibraryOptions } from "./library.ts";
import { FolderRoom, textOf } from "./limits.ts";
import { type Manifest, readManifest, unreadManifest } from "./manifest.ts";
import { scanFolder } from "./scan.ts";

export interface Manifests extends Source {
  /**
   * Returns the Problems by file. They change with the Snapshot or alone; `onChange` reports both.
   */
  problems(): Table<readonly Problem[]>;
  /** Returns the file from which an object is taken, and the object in it. */
  held: Library["held"];
  /** Returns the objects that have a mistake and cannot be read. */
  unread(): readonly Unread[];
  /** Returns a Problem for each object whose former form is in force. */
  outdated(): readonly Problem[];
  close(): Promise<void>;
}

export type OpenedManifests =
  | { readonly ok: true; readonly manifests: Manifests }
  | { readonly ok: false; readonly why: string };

const secondLookMs = 100;
const gone = "gone";

/**
 * Reads the folder once and then watches it. If the folder cannot be read, the result is one
 * sentence.
 */
export async function openManifests(folder: string, options: LibraryOptions, clock: Clock): Promise<OpenedManifests> {
  const scan = scanFolder(folder);
  if (scan instanceof Error) return { ok: false, why: `The folder ${folder} cannot be read: ${fileError(scan)}.` };
  const manifests = new WatchedManifests(folder, options, clock);
  await manifests.look();
  await manifests.watch();
  return { ok: true, manifests };
}

interface Doubt {
  readonly stamp: string;
  readonly since: number;
}

class WatchedManifests implements Manifests {
  readonly #folder: string;
  readonly #clock: Clock;
  readonly #library: Library;
  readonly #room = new FolderRoom();
  /**
   * Files for which there was no room. They are tried again when another file has become smaller.
   */
  readonly #leftOut = new Set<string>();
  readonly #listeners = new Set<() => void>();
  /** The version of each file that was read. */
  readonly #stamps = new Map<string, string>();
  /**
   * Versions of files that would remove an object, with the time since which each version has
   * existed.
   */
  readonly #doubtful = new Map<string, Doubt>();
  #folderProblem: Problem | undefined;
  #looking: Promise<void> | undefined;
  #lookAgain = false;
  #cancelSecondLook: (() => void) | undefined;
  #stop: () => Promise<void> = async () => {};

  constructor(folder: string, options: LibraryOptions, clock: Clock) {
    this.#folder = folder;
    this.#clock = clock;
    this.#library = new Library(options);
  }

  snapshot(): Snapshot {
    return this.#library.snapshot;
  }

  unread() {
    return this.#library.unread;
  }

  outdated() {
    return this.#library.outdated;
  }

  held(object: ObjectName) {
    return this.#library.held(object);
  }

  problems(): Table<readonly Problem[]> {
    const problem = this.#folderProblem;
    return problem === undefined ? this.#library.problems : this.#library.problems.with([["", [problem]]]);
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async watch(): Promise<void> {
    this.#stop = await watchFolder(this.#folder, () => inBackground("the reading of files", this.look()));
    await this.look(); // finds changes from before the watch began
  }

  async close(): Promise<void> {
    await this.#stop();
    await this.#looking;
    this.#cancelSecondLook?.();
  }

  /** Reads the files as they are now. A call during a read causes one more read. */
  async look(): Promise<void> {
    this.#lookAgain = true;
    this.#looking ??= (async () => {
      while (this.#lookAgain) {
        this.#lookAgain = false;
        await this.#readOnce();
      }
    })().finally(() => {
      this.#looking = undefined;
    });
    await this.#looking;
  }

  async #readOnce(): Promise<void> {
    const scan = scanFolder(this.#folder);
    const before = this.#folderProblem;
    this.#folderProblem = scan instanceof Error ? folderProblem(this.#folder, scan) : undefined;
    if (scan instanceof Error) {
      if (before === undefined) this.#notify();
      return;
    }
    const changed = new Map<string, Manifest | undefined>();
    const differences = this.#differences(scan);
    for (const file of this.#doubtful.keys()) if (!differences.has(file)) this.#doubtful.delete(file);
    const pause = pauses();
    for (const [file, stamp] of differences) {
      await pause();
      const manifest = stamp === gone ? undefined : this.#read(file);
      if (this.#library.wouldLose(file, manifest) && !this.#isOldEnough(file, stamp)) continue;
      this.#doubtful.delete(file);
      changed.set(file, manifest);
      if (stamp === gone) {
        this.#stamps.delete(file);
        this.#room.release(file);
        this.#leftOut.delete(file);
        this.#retryLeftOut();
      } else this.#stamps.set(file, stamp);
    }
    if (this.#doubtful.size > 0) this.#readLater();
    if (changed.size > 0) this.#library.change(changed);
    if (changed.size > 0 || before !== undefined) this.#notify();
  }

  /**
   * Whether the version has existed long enough. Events of other files may cause many reads at
   * once, so the number of reads does not count.
   */
  #isOldEnough(file: string, stamp: string): boolean {
    const doubt = this.#doubtful.get(file);
    const now = this.#clock.now();
    if (doubt?.stamp === stamp) return now - doubt.since >= secondLookMs;
    this.#doubtful.set(file, { stamp, since: now });
    return false;
  }

  #readLater(): void {
    this.#cancelSecondLook ??= this.#clock.schedule(secondLookMs, () => {
      this.#cancelSecondLook = undefined;
      inBackground("the reading of files", this.look());
    });
  }

  #differences(scan: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
    const other = [...scan].filter(([file, stamp]) => this.#stamps.get(file) !== stamp);
    const away = [...this.#stamps.keys()].filter((file) => !scan.has(file));
    return new Map([...other, ...away.map((file) => [file, gone] as const)]);
  }

  #read(file: string): Manifest {
    const read = textOf(join(this.#folder, file));
    if (!read.ok) return unreadManifest(`it cannot be read: ${read.why}`);
    const full = this.#room.take(file, read.text);
    this.#leftOut.delete(file);
    if (full !== undefined) {
      this.#leftOut.add(file);
      return unreadManifest(`it is left out: ${full}`);
    }
    return guarded(
      () => readManifest(read.text),
      (bug) => unreadManifest(`Sluice failed on it (${bugWords(bug)}), which is a bug in Sluice: please report it`),
    );
  }

  #retryLeftOut(): void {
    if (this.#leftOut.size === 0) return;
    for (const file of this.#leftOut) this.#stamps.delete(file);
    this.#lookAgain = true;
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }
}

function folderProblem(folder: string, error: Error): Problem {
  return {
    kind: "value-unusable",
    object: { kind: "Folder", name: folder },
    field: "the folder",
    why: `it cannot be read: ${fileError(error)}`,
    done: "what it held before stays in force",
  };
}
