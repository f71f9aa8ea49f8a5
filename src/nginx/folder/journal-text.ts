/**
 * The form of the journal, which `nginx/lua/sluice/journal.lua` reads as well. The first line has
 * the version, a random number, the length of the file that is known to be on the disk, and a
 * checksum of these. Each further line is a checksum and JSON: `[before, key, value]` sets a
 * record, `[before, key]` removes it, and `[before]` ends a write. `before` is the checksum of the
 * line before, or the random number. So no line can be changed, lost, repeated or moved unnoticed,
 * and no line of another journal fits.
 */
import { randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";
import { type RecordChange, recordsVersion as version } from "../../core/model/records.ts";

const newline = 10;
const checksumDigits = 8;
const lengthDigits = 15;

/**
 * `unfinished` means that the last write was broken off, and that everything before it is whole.
 * `other-version` is a journal of another release. Nothing of a `damaged` or an `other-version`
 * journal is used.
 */
export type JournalState =
  | { readonly kind: "intact" | "unfinished" | "missing" }
  | { readonly kind: "damaged" | "other-version"; readonly why: string; readonly lines: number };

export class JournalText {
  readonly #start: number;
  /** The checksum of the last line. */
  #last: number;
  #bytes: number;

  /** Begins a new journal; `read` continues an existing one. */
  constructor(read?: { readonly start: number; readonly last: number; readonly bytes: number }) {
    this.#start = read?.start ?? randomBytes(4).readUInt32BE();
    this.#last = read?.last ?? this.#start;
    this.#bytes = read?.bytes ?? this.header(0).length;
  }

  /** The length with all lines so far. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Returns the first line. It always has the same length, so it can be overwritten. */
  header(bytesOnDisk: number): Buffer {
    const text = `sluice-journal ${version} ${hex(this.#start)} ${String(bytesOnDisk).padStart(lengthDigits, "0")}`;
    return Buffer.from(`${text} ${hex(crc32(text))}\n`);
  }

  /** Returns the lines of these changes, and with `ends` the end of the write. */
  next(changes: readonly RecordChange[], ends: boolean): Buffer {
    const lines = changes.map(([key, value]) => this.#line(value === undefined ? [key] : [key, value]));
    if (ends) lines.push(this.#line([]));
    const text = Buffer.from(lines.join(""));
    this.#bytes += text.length;
    return text;
  }

  #line(change: readonly string[]): string {
    const text = JSON.stringify([this.#last, ...change]);
    this.#last = crc32(text);
    return `${hex(this.#last)} ${text}\n`;
  }
}

export interface ReadJournal {
  readonly records: Map<string, string>;
  readonly state: JournalState;
  /** Continues the journal; a new one if this one is not used. */
  readonly text: JournalText;
}

/** Reads the bytes of a journal. What follows the last whole write is ignored. */
export function readJournal(bytes: Buffer): ReadJournal {
  const unused = (kind: "damaged" | "other-version", why: string): ReadJournal => {
    let lines = 0;
    for (let at = bytes.indexOf(newline); at >= 0; at = bytes.indexOf(newline, at + 1)) lines++;
    return { records: new Map(), state: { kind, why, lines: Math.max(0, lines - 1) }, text: new JournalText() };
  };
  if (bytes.length === 0) return unused("damaged", "it is empty");
  const first = /^((sluice-journal (\d+)) ([\da-f]{8}) (\d{15})) ([\da-f]{8})\n/.exec(bytes.toString("latin1", 0, 80));
  const found = /^sluice-journal (\d+) /.exec(bytes.toString("latin1", 0, 80))?.[1];
  if (found !== undefined && Number(found) !== version)
    return unused("other-version", `it has version ${found}, and this release reads version ${version}`);
  if (first === null || crc32(first[1]!) !== Number.parseInt(first[6]!, 16))
    return unused("damaged", "its first line fails its checksum");
  const start = Number.parseInt(first[4]!, 16);
  const onDisk = Number(first[5]);
  const records = new Map<string, string>();
  let changes: string[][] = [];
  let [at, last, line, why] = [first[0].length, start, 1, "it is cut off"];
  let whole = { start, last, bytes: at };
  for (let end = bytes.indexOf(newline, at); end >= 0; end = bytes.indexOf(newline, at)) {
    line++;
    const checksum = crc32(bytes.subarray(at + checksumDigits + 1, end));
    const change = changeIn(bytes, at, end, checksum, last);
    if (change === undefined) {
      why = `line ${line} fails its checksum`;
      break;
    }
    [at, last] = [end + 1, checksum];
    if (change.length > 0) changes.push(change);
    else {
      for (const [key = "", value] of changes) value === undefined ? records.delete(key) : records.set(key, value);
      changes = [];
      whole = { start, last, bytes: at };
    }
  }
  if (whole.bytes < onDisk) return unused("damaged", why);
  const kind = whole.bytes === bytes.length ? "intact" : "unfinished";
  return { records, state: { kind }, text: new JournalText(whole) };
}

/** Returns what the line says after `before`; undefined if its checksum or `before` differs. */
function changeIn(bytes: Buffer, at: number, end: number, checksum: number, before: number): string[] | undefined {
  if (bytes.toString("latin1", at, at + checksumDigits + 1) !== `${hex(checksum)} `) return undefined;
  const [found, ...change] = JSON.parse(bytes.toString("utf8", at + checksumDigits + 1, end)) as [number, ...string[]];
  return found === before ? change : undefined;
}

const hex = (checksum: number): string => checksum.toString(16).padStart(checksumDigits, "0");
