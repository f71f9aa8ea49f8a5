/**
 * A disk that a fault can fill, slow down, make read-only, or tear. It keeps two states of each
 * file and of each folder: what programs see, and what a loss of power leaves.
 */
import { dirname } from "node:path";
import type { Disk } from "../../../src/nginx/index.ts";
import type { Chance } from "../../support/chance.ts";
import type { Time } from "../time.ts";

interface File {
  bytes: Buffer;
  /** The bytes that survive a loss of power. */
  durable: Buffer;
}

export interface DiskParts {
  readonly time: Time;
  readonly chance: Chance;
  /** Called before each change. A fault may kill the program there. */
  readonly effect: (what: string) => void;
}

/** A program's way to the disk, which ends with the program. */
export interface Opened {
  readonly isDead: () => boolean;
}

export class SimulatedDisk {
  readonly #parts: DiskParts;
  #files = new Map<string, File>();
  #durable = new Map<string, File>();
  /** Bytes that can still be written. */
  freeBytes = Number.POSITIVE_INFINITY;
  isReadOnly = false;
  slowMs = 0;

  constructor(parts: DiskParts) {
    this.#parts = parts;
  }

  /** Whether something is wrong with it. */
  get isFaulty(): boolean {
    return this.isReadOnly || this.freeBytes < Number.POSITIVE_INFINITY;
  }

  read(path: string): Buffer | undefined {
    return this.#files.get(path)?.bytes;
  }

  /** Replaces the content, as a fault does. */
  damage(path: string, change: (bytes: Buffer) => Buffer): void {
    const file = this.#files.get(path);
    if (file !== undefined) file.bytes = file.durable = change(file.bytes);
  }

  remove(path: string): void {
    this.#files.delete(path);
    this.#durable.delete(path);
  }

  /** Takes what was not synced. Of bytes that were added to a file, some may survive. */
  losePower(): void {
    const { chance } = this.#parts;
    this.#files = new Map(this.#durable);
    for (const file of new Set(this.#files.values())) {
      const added = file.bytes.subarray(file.durable.length);
      const isAppended = added.length > 0 && file.bytes.subarray(0, file.durable.length).equals(file.durable);
      const kept = isAppended ? chance.below(added.length + 1) : 0;
      file.bytes = file.durable = Buffer.concat([file.durable, added.subarray(0, kept)]);
    }
  }

  /** Returns the functions of Node for one program. */
  for(program: Opened): Disk {
    const disk: Pick<Disk, "existsSync"> & Record<string, unknown> = {
      existsSync: (path) => this.#files.has(String(path)),
      readFileSync: (path: string) => {
        const bytes = this.read(path);
        if (bytes === undefined) throw systemError("ENOENT", "open", path);
        return bytes.toString();
      },
      readFile: (path: string, encoding?: string) =>
        this.#takes(program, "", () => {
          const bytes = this.read(path);
          if (bytes === undefined) throw systemError("ENOENT", "open", path);
          return encoding === undefined ? Buffer.from(bytes) : bytes.toString();
        }),
      mkdir: (path: string) => this.#takes(program, "", () => this.#mustWrite("mkdir", path)),
      readdir: (folder: string) =>
        this.#takes(program, "", () =>
          [...this.#files.keys()]
            .filter((path) => dirname(path) === folder)
            .map((path) => path.slice(folder.length + 1)),
        ),
      rename: (from: string, to: string) =>
        this.#takes(program, `rename ${to}`, () => {
          this.#mustWrite("rename", to);
          const file = this.#files.get(from);
          if (file === undefined) throw systemError("ENOENT", "rename", from);
          this.#files.delete(from);
          this.#files.set(to, file);
        }),
      rm: (path: string) =>
        this.#takes(program, `rm ${path}`, () => {
          this.#mustWrite("unlink", path);
          this.#files.delete(path);
        }),
      open: (path: string, flags: string | number) =>
        this.#takes(program, "", () =>
          flags === "r" ? this.#reading(program, path) : this.#writing(program, path, flags),
        ),
    };
    return disk as unknown as Disk;
  }

  #reading(program: Opened, path: string) {
    const sync = () =>
      this.#takes(program, `sync ${path}`, () => {
        const file = this.#files.get(path);
        if (file !== undefined) file.durable = file.bytes;
        else this.#syncNames(path);
      });
    return { sync, datasync: sync, close: async () => {} };
  }

  #writing(program: Opened, path: string, flags: string | number) {
    this.#mustWrite("open", path);
    const { O_CREAT, O_TRUNC } = { O_CREAT: 0o100, O_TRUNC: 0o1000 };
    const has = (flag: number) => typeof flags === "number" && (flags & flag) !== 0;
    const file = this.#files.get(path) ?? { bytes: Buffer.alloc(0), durable: Buffer.alloc(0) };
    if (!this.#files.has(path) && !has(O_CREAT)) throw systemError("ENOENT", "open", path);
    if (has(O_TRUNC)) file.bytes = Buffer.alloc(0);
    this.#files.set(path, file);
    const put = (given: Uint8Array, position: number): number => {
      this.#mustWrite("write", path);
      const grows = Math.max(0, position + given.length - file.bytes.length);
      if (grows > this.freeBytes && this.freeBytes <= 0) throw systemError("ENOSPC", "write", path);
      const fits = given.subarray(0, given.length - Math.max(0, grows - this.freeBytes));
      this.freeBytes -= Math.min(grows, this.freeBytes);
      const size = Math.max(file.bytes.length, position + fits.length);
      const bytes = Buffer.alloc(size);
      file.bytes.copy(bytes);
      Buffer.from(fits).copy(bytes, position);
      file.bytes = bytes;
      return fits.length;
    };
    const sync = () =>
      this.#takes(program, `sync ${path}`, () => {
        file.durable = file.bytes;
      });
    return {
      write: (buffer: Buffer, offset: number, length: number, position: number) =>
        this.#takes(program, `write ${path}`, () => ({
          bytesWritten: put(buffer.subarray(offset, offset + length), position),
        })),
      writeFile: (content: string | Uint8Array) =>
        this.#takes(program, `write ${path}`, () => {
          const bytes = Buffer.from(content as string);
          if (put(bytes, 0) < bytes.length) throw systemError("ENOSPC", "write", path);
        }),
      sync,
      datasync: sync,
      close: async () => {},
    };
  }

  #syncNames(folder: string): void {
    const isIn = (path: string) => dirname(path) === folder;
    for (const path of this.#durable.keys()) if (isIn(path)) this.#durable.delete(path);
    for (const [path, file] of this.#files) if (isIn(path)) this.#durable.set(path, file);
  }

  #mustWrite(call: string, path: string): void {
    if (this.isReadOnly) throw systemError("EROFS", call, path);
  }

  /** Does the work after a moment. A program that has been killed gets no answer. */
  #takes<T>(program: Opened, what: string, work: () => T): Promise<T> {
    const { time, chance, effect } = this.#parts;
    return new Promise((resolve, reject) => {
      time.after(chance.share() + this.slowMs * chance.share(), () => {
        if (program.isDead()) return;
        if (what !== "") effect(what);
        if (program.isDead()) return;
        try {
          resolve(work());
        } catch (error) {
          reject(error as Error);
        }
      });
    });
  }
}

function systemError(code: string, syscall: string, path: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${code}: ${syscall} '${path}'`), { code, syscall, path });
}
