/**
 * Files that nginx opens at requests: password files, whose paths are data. They are written before
 * the records that name them are published. They are removed some time after the last such record,
 * because a request in flight may still open one. Their names are hashes of their content, so an
 * existing file is always right.
 */
import { join } from "node:path";
import { type Disk, machineDisk, writeAtomically } from "./files.ts";
import type { RunFolder } from "./paths.ts";

export interface OpenedFile {
  /** Below the run folder, in `data/opened`. */
  readonly path: string;
  readonly content: string | Uint8Array;
}

/** Longer than a request takes from its route to its password file. */
const graceMs = 60_000;

export class OpenedFiles {
  readonly #root: string;
  readonly #disk: Disk;
  #kept = "";
  /** The time at which each file without a record was last in use, by file name. */
  readonly #unnamed = new Map<string, number>();

  constructor(folder: RunFolder, disk = machineDisk) {
    this.#root = folder.root;
    this.#disk = disk;
  }

  /** Writes `files`, and removes all others except those that were in use until a moment ago. */
  async keep(files: readonly OpenedFile[], nowMs: number): Promise<void> {
    const list = files.map(({ path }) => path).join();
    if (list === this.#kept && this.#unnamed.size === 0) return;
    this.#kept = "";
    const { existsSync, mkdir, readdir, rm } = this.#disk;
    const folder = join(this.#root, "data", "opened");
    await mkdir(folder, { recursive: true, mode: 0o700 });
    for (const { path, content } of files) {
      if (!existsSync(join(this.#root, path))) await writeAtomically(join(this.#root, path), content, this.#disk);
    }
    const named = new Set(files.map(({ path }) => path.slice(path.lastIndexOf("/") + 1)));
    for (const name of await readdir(folder)) {
      if (named.has(name)) this.#unnamed.delete(name);
      else if (!this.#unnamed.has(name)) this.#unnamed.set(name, nowMs);
      else if (nowMs - this.#unnamed.get(name)! > graceMs) {
        await rm(join(folder, name), { force: true });
        this.#unnamed.delete(name);
      }
    }
    this.#kept = list;
  }
}
