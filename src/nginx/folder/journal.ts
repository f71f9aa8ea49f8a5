/**
 * A copy of shared memory on disk: lines of JSON, `[key, value]` to set and `[key]` to remove, in
 * the same form as nginx gets them. nginx loads it when its memory is empty, so nginx can restart
 * and serve without the controller. Changes are appended, and the file is compacted when more than
 * half of it is outdated.
 */
import { appendFile, readFile, stat } from "node:fs/promises";
import type { RecordChange } from "../../model/records.ts";
import { append, writeAtomically } from "./files.ts";

/** A journal below this size is not compacted. */
const smallBytes = 1024 * 1024;
/** The most changes whose lines are made before they are written. */
const mostAtOnce = 2_000;

export class Journal {
  readonly #path: string;
  readonly #records: Map<string, string>;
  #bytes = 0;
  /** Bytes of the present keys and values, which is about the size of a compacted journal. */
  #liveBytes = 0;
  /**
   * Whether the last write failed and may have left half a line, after which nothing would be read.
   */
  #torn = false;

  private constructor(path: string, records: Map<string, string>) {
    this.#path = path;
    this.#records = records;
  }

  /**
   * Reads the complete lines of a journal. A missing journal has none, and a line that was cut off
   * does not count.
   */
  static async open(path: string): Promise<Journal> {
    const text = await readFile(path, "utf8").catch(() => "");
    const records = new Map<string, string>();
    for (const line of text.split("\n").slice(0, -1)) {
      const [key, value] = parsed(line);
      if (key === undefined) break;
      if (value === undefined) records.delete(key);
      else records.set(key, value);
    }
    const journal = new Journal(path, records);
    for (const [key, value] of records) journal.#liveBytes += key.length + value.length;
    journal.#bytes = await stat(path).then(
      ({ size }) => size,
      () => 0,
    );
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
    if (torn || this.#isLong(changes)) await this.#compact();
    else await this.#append(changes);
    this.#torn = false;
  }

  /** Whether more than half of the journal would be outdated with these changes. */
  #isLong(changes: readonly RecordChange[]): boolean {
    let bytes = this.#bytes;
    for (const [key, value = ""] of changes) bytes += key.length + value.length;
    return bytes > smallBytes && bytes > 2 * this.#liveBytes;
  }

  /** Appends some at a time, because the lines of a hundred thousand hosts are much garbage. */
  async #append(changes: readonly RecordChange[]): Promise<void> {
    for (let at = 0; at < changes.length; at += mostAtOnce) {
      const text = linesOf(changes.slice(at, at + mostAtOnce));
      this.#bytes += Buffer.byteLength(text);
      await appendFile(this.#path, text, { mode: 0o600, flag: append });
    }
  }

  async #compact(): Promise<void> {
    const text = linesOf([...this.#records]);
    await writeAtomically(this.#path, text);
    this.#bytes = Buffer.byteLength(text);
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

function parsed(line: string): [string?, string?] {
  try {
    return JSON.parse(line) as [string, string?];
  } catch {
    return [];
  }
}
