/**
 * A copy of shared memory on disk. nginx loads it when its memory is empty, so nginx can restart
 * and serve without the controller. Changes are appended, and the file is compacted when more than
 * half of it is outdated. `journal-text.ts` has its form, and `journal.lua` reads it as well.
 *
 * A write returns when the kernel has it, so that it survives the end of every process. Whether it
 * survives a power loss is decided by the sync that follows, one at a time, so many writes share
 * one. The header then says how far the file is on the disk.
 */
import type { FileHandle } from "node:fs/promises";
import { fileError } from "../../base/file-errors.ts";
import { OneAtATime } from "../../base/timing/one-at-a-time.ts";
import type { RecordChange } from "../../core/model/records.ts";
import { type Disk, inPlace, machineDisk, writeAtomically } from "./files.ts";
import { type JournalState, JournalText, type ReadJournal, readJournal } from "./journal-text.ts";

/** A journal below this size is not compacted. */
const smallBytes = 1024 * 1024;
/** The most changes whose lines are made before they are written. */
const mostAtOnce = 2_000;

export class Journal {
  readonly #path: string;
  readonly #disk: Disk;
  readonly #records: Map<string, string>;
  /** What was found at `open`. */
  readonly found: JournalState;
  #text: JournalText;
  /** The length with all writes that have ended. */
  #written: number;
  /** Bytes of the present keys and values, which is about the size of a compacted journal. */
  #liveBytes = 0;
  /**
   * Whether the file has something behind which nothing may be written: half a line of a write that
   * failed, or a journal that is not used.
   */
  #torn: boolean;
  readonly #order = new OneAtATime();
  #syncing: Promise<void> | undefined;

  private constructor(path: string, { records, state: found, text }: ReadJournal, disk: Disk) {
    this.#path = path;
    this.#disk = disk;
    this.#records = records;
    this.found = found;
    this.#text = text;
    this.#written = text.bytes;
    this.#torn = found.kind !== "intact";
  }

  /** Reads a journal, and changes nothing on the disk. */
  static async open(path: string, disk = machineDisk): Promise<Journal> {
    const bytes = await disk.readFile(path).catch((error: NodeJS.ErrnoException) => error);
    if (bytes instanceof Error) {
      const why = `it cannot be read: ${fileError(bytes)}`;
      const state: JournalState = bytes.code === "ENOENT" ? { kind: "missing" } : { kind: "damaged", why, lines: 0 };
      return new Journal(path, { records: new Map(), state, text: new JournalText() }, disk);
    }
    const read = readJournal(bytes);
    const journal = new Journal(path, read, disk);
    for (const [key, value] of read.records) journal.#liveBytes += key.length + value.length;
    return journal;
  }

  get records(): ReadonlyMap<string, string> {
    return this.#records;
  }

  /** Rejects when the disk refuses; the next write repairs that, whatever it writes. */
  async write(changes: readonly RecordChange[]): Promise<void> {
    for (const change of changes) this.#take(change);
    const torn = this.#torn;
    this.#torn = true;
    if (torn || this.#isLong(changes)) await this.#order.run(() => this.#compact());
    else await this.#append(changes);
    this.#torn = false;
  }

  /** Resolves when everything that was written is on the disk, or the disk has refused that. */
  async synced(): Promise<void> {
    while (this.#syncing !== undefined) await this.#syncing;
  }

  /** Whether more than half of the journal would be outdated with these changes. */
  #isLong(changes: readonly RecordChange[]): boolean {
    let { bytes } = this.#text;
    for (const [key, value = ""] of changes) bytes += key.length + value.length;
    return bytes > smallBytes && bytes > 2 * this.#liveBytes;
  }

  /** Appends some at a time, because the lines of a hundred thousand hosts are much garbage. */
  async #append(changes: readonly RecordChange[]): Promise<void> {
    const file = await this.#disk.open(this.#path, inPlace);
    try {
      for (let at = 0; at < changes.length; at += mostAtOnce) {
        const { bytes } = this.#text;
        const isLast = at + mostAtOnce >= changes.length;
        const lines = this.#text.next(changes.slice(at, at + mostAtOnce), isLast);
        await writeAt(file, lines, bytes);
      }
    } finally {
      await file.close();
    }
    this.#written = this.#text.bytes;
    this.#syncLater();
  }

  async #compact(): Promise<void> {
    const text = new JournalText();
    const all = [...this.#records];
    const pieces = [text.header(0)];
    for (let at = 0; at < all.length; at += mostAtOnce)
      pieces.push(text.next(all.slice(at, at + mostAtOnce), at + mostAtOnce >= all.length));
    pieces[0] = text.header(text.bytes);
    await writeAtomically(this.#path, Buffer.concat(pieces), this.#disk);
    this.#text = text;
    this.#written = text.bytes;
  }

  /**
   * Syncs the file, and then notes its length in the header. So the header never names bytes that a
   * power loss can take. A compaction waits meanwhile, because it makes another file.
   */
  #syncLater(): void {
    this.#syncing ??= this.#order
      .run(async () => {
        const [text, bytes] = [this.#text, this.#written];
        const file = await this.#disk.open(this.#path, inPlace);
        try {
          await file.datasync();
          await writeAt(file, text.header(bytes), 0);
        } finally {
          await file.close();
        }
        return bytes;
      })
      .then(
        (bytes) => {
          this.#syncing = undefined;
          if (bytes < this.#written) this.#syncLater();
        },
        () => {
          // The kernel may have dropped what it could not write. The next write makes a new file.
          this.#syncing = undefined;
          this.#torn = true;
        },
      );
  }

  #take([key, value]: RecordChange): void {
    const before = this.#records.get(key);
    if (before !== undefined) this.#liveBytes -= key.length + before.length;
    if (value === undefined) this.#records.delete(key);
    else this.#records.set(key, value);
    if (value !== undefined) this.#liveBytes += key.length + value.length;
  }
}

export function linesOf(changes: readonly RecordChange[]): string {
  return changes.map(([key, value]) => `${JSON.stringify(value === undefined ? [key] : [key, value])}\n`).join("");
}

async function writeAt(file: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let at = 0; at < bytes.length; )
    at += (await file.write(bytes, at, bytes.length - at, position + at)).bytesWritten;
}
