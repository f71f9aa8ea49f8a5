/**
 * Writes files that appear complete or not at all: each is written under another name, synced, and
 * renamed. The files that a configuration names (certificates, password files) are private. They
 * are written only when their bytes differ, and removed only on request: workers of an older
 * configuration still open a password file at each request.
 */
import { constants, existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { mkdir, open, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { configurationFolders, type RunFolder } from "./paths.ts";

/** A file that nginx.conf names. */
export interface ConfigurationFile {
  /** Below the run folder, in one of its `configurationFolders`: `tls/shop-web.pem`. */
  readonly path: string;
  readonly content: string | Uint8Array;
}

export interface Written {
  /** The number of files that changed. */
  readonly changed: number;
  /** Restores the files as they were before. */
  readonly undo: () => Promise<void>;
}

const { O_WRONLY, O_CREAT, O_TRUNC, O_APPEND, O_RDWR, O_NOFOLLOW } = constants;

/**
 * Flags for opening files of the run folder. A link there is an error, because it would redirect
 * the write.
 */
export const overwrite = O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW;
export const inPlace = O_WRONLY | O_NOFOLLOW;
export const readOnly = constants.O_RDONLY | O_NOFOLLOW;
export const readAndAppend = O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW;

/** The ending of a file's name until the file is complete. */
const draftEnding = ".new";

/** The disk for the files that outlive the controller; the simulation has one that fails. */
export const machineDisk = { existsSync, mkdir, open, readdir, readFile, readFileSync, rename, rm };
export type Disk = typeof machineDisk;

/**
 * Replaces the file at `path`, mode 0600. After a crash it has either the old bytes or the new
 * ones.
 */
export async function writeAtomically(path: string, content: string | Uint8Array, disk = machineDisk): Promise<void> {
  await replace(path, content, disk);
  await sync(dirname(path), disk);
}

/**
 * Does the same as `writeAtomically`, but until the folder is synced a crash of the machine may
 * bring the old bytes back.
 */
async function replace(path: string, content: string | Uint8Array, { open, rename } = machineDisk): Promise<void> {
  const draft = `${path}${draftEnding}`;
  const file = await open(draft, overwrite, 0o600);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(draft, path);
}

/**
 * Syncs a file or folder, so that its bytes, or its renames and removals, survive a crash of the
 * machine.
 */
export async function sync(path: string, { open } = machineDisk): Promise<void> {
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** The configuration's files in one run folder. Only one `write` or `undo` may run at a time. */
export class ConfigurationFiles {
  readonly #folder: RunFolder;
  /**
   * The known content of the disk, so that an unchanged file costs a comparison instead of a read.
   */
  readonly #onDisk = new Map<string, string | Uint8Array>();

  constructor(folder: RunFolder) {
    this.#folder = folder;
  }

  async write(files: readonly ConfigurationFile[]): Promise<Written> {
    for (const { path } of files) mustBeOurs(path);
    const before = new Map<string, string | Uint8Array | undefined>();
    await forEach(files, async ({ path, content }) => {
      const old = this.#onDisk.get(path) ?? (await bytesOf(join(this.#folder.root, path)));
      if (old === undefined || !sameBytes(old, content)) before.set(path, old);
      else this.#onDisk.set(path, content);
    });
    await this.#put(files.filter(({ path }) => before.has(path)));
    return { changed: before.size, undo: () => this.#restore(before) };
  }

  /**
   * Removes every file for which `needed` is false. It is synchronous, so that no `write` can begin
   * between the check and the removal.
   */
  prune(needed: (path: string) => boolean): void {
    for (const folder of configurationFolders) {
      const found = readdirSync(join(this.#folder.root, folder), { recursive: true, withFileTypes: true });
      for (const file of found.filter((entry) => !entry.isDirectory())) {
        const path = relative(this.#folder.root, join(file.parentPath, file.name));
        const whole = path.endsWith(draftEnding) ? path.slice(0, -draftEnding.length) : path;
        if (!needed(whole)) this.#remove(path);
      }
    }
  }

  async #restore(before: ReadonlyMap<string, string | Uint8Array | undefined>): Promise<void> {
    const old = [...before].map(([path, content]) => ({ path, content }));
    await this.#put(old.filter((file): file is ConfigurationFile => file.content !== undefined));
    for (const { path, content } of old) if (content === undefined) this.#remove(path);
  }

  async #put(files: readonly ConfigurationFile[]): Promise<void> {
    const folders = new Set(files.map(({ path }) => dirname(join(this.#folder.root, path))));
    for (const folder of folders) await mkdir(folder, { recursive: true, mode: 0o700 });
    await forEach(files, async ({ path, content }) => {
      await replace(join(this.#folder.root, path), content);
      this.#onDisk.set(path, content);
    });
    for (const folder of folders) await sync(folder);
  }

  #remove(path: string): void {
    rmSync(join(this.#folder.root, path), { force: true });
    this.#onDisk.delete(path);
  }
}

/**
 * The number of files that are written at a time: a disk syncs many files in the time of a few, but
 * open files are limited.
 */
const atOnce = 32;

async function forEach<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const rest = items.values();
  const worker = async (): Promise<void> => {
    for (const item of rest) await work(item);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

/** Returns the file's bytes, or undefined if there is no file. */
export async function bytesOf(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** Returns the id of the file's owner, or undefined if there is no file. */
export async function ownerOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).uid;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

export function sameBytes(one: string | Uint8Array, other: string | Uint8Array): boolean {
  return one === other || Buffer.from(one).equals(Buffer.from(other));
}

/**
 * Throws if a name leads outside of the folder, because that is a mistake of this program and
 * not of a user.
 */
function mustBeOurs(path: string): void {
  const [folder, ...rest] = path.split("/");
  const known = configurationFolders.some((one) => one === folder);
  const plain = rest.length > 0 && rest.every((part) => part !== "" && part !== "." && part !== "..");
  if (!known || !plain || path.endsWith(draftEnding)) throw new Error(`a configuration file cannot be called ${path}`);
}
