/**
 * Limits on the content of a folder. A file that is too large, or has too many documents, is
 * skipped with one sentence.
 */
import { closeSync, fstatSync, openSync, readFileSync } from "node:fs";
import { fileError } from "../../base/file-errors.ts";
import { isJsonText } from "./plain-json.ts";

/** A dump of ten thousand hosts has some 30 MB. */
export const mostBytes = 64 * 1024 * 1024;

/**
 * The most lines and commas in a YAML text. A value may begin at each of them, which takes half a
 * kilobyte of memory, or several with the careful reader. A dump of ten thousand hosts has a
 * million lines. JSON has another reader and no such limit.
 */
export const mostParts = { plain: 1_500_000, careful: 250_000 };

/** The line is computed for this many mistakes only; further ones are reported without it. */
export const mostPlaces = 10_000;

/** An empty document costs memory, too. */
export const mostObjects = 200_000;

export type ReadText = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly why: string };

/**
 * Reads a file; the path 0 is standard input. `why` completes the sentence "it cannot be read: …".
 */
export function textOf(path: string | 0): ReadText {
  try {
    if (path === 0) return { ok: true, text: readFileSync(0, "utf8") };
    const file = openSync(path, "r");
    try {
      const { size } = fstatSync(file);
      if (size > mostBytes) return { ok: false, why: `it has ${size} bytes, and ${mostBytes} are the most` };
      return { ok: true, text: readFileSync(file, "utf8") };
    } finally {
      closeSync(file);
    }
  } catch (error) {
    if (!(error instanceof Error && "code" in error)) throw error;
    return { ok: false, why: fileError(error) };
  }
}

export function partsIn(text: string): number {
  let count = 1;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 10 || code === 44) count += 1;
  }
  return count;
}

/** Returns why a YAML text with so many documents is not read; undefined if it is read. */
export function tooManyDocuments(text: string): string | undefined {
  let count = 1;
  for (let at = text.indexOf("\n---"); at >= 0; at = text.indexOf("\n---", at + 4)) count += 1;
  return count > mostObjects ? tooMany(count) : undefined;
}

export const tooMany = (count: number): string => `it has ${count} documents or items, and ${mostObjects} are the most`;

/**
 * The limit for all files of a folder together: a file is only read if there is room for it beside
 * the others.
 */
export const mostOfFolder = { bytes: 256 * 1024 * 1024, parts: 3_000_000, files: 50_000 };

interface Amount {
  readonly bytes: number;
  readonly parts: number;
}

export class FolderRoom {
  readonly #held = new Map<string, Amount>();
  #bytes = 0;
  #parts = 0;

  /**
   * Accepts `text` as the new content of `file`, or returns the reason why there is no room; the
   * former text then stays.
   */
  take(file: string, text: string): string | undefined {
    const parts = partsIn(text);
    const before = this.#held.get(file) ?? { bytes: 0, parts: 0 };
    // The cost of JSON depends on its bytes alone. A text with more parts is read only if it is
    // JSON. Other texts are tried only if their parts matter.
    const isFree =
      parts > mostParts.plain || (this.#parts - before.parts + parts > mostOfFolder.parts && isJsonText(text));
    const amount = { bytes: Buffer.byteLength(text), parts: isFree ? 0 : parts };
    for (const measure of ["bytes", "parts"] as const) {
      const all = (measure === "bytes" ? this.#bytes : this.#parts) - before[measure] + amount[measure];
      if (all > mostOfFolder[measure] && amount[measure] > before[measure]) return noRoom(measure, all);
    }
    this.#add(file, amount);
    return undefined;
  }

  release(file: string): void {
    this.#add(file, undefined);
  }

  #add(file: string, amount: Amount | undefined): void {
    const before = this.#held.get(file);
    this.#bytes += (amount?.bytes ?? 0) - (before?.bytes ?? 0);
    this.#parts += (amount?.parts ?? 0) - (before?.parts ?? 0);
    if (amount === undefined) this.#held.delete(file);
    else this.#held.set(file, amount);
  }
}

function noRoom(measure: "bytes" | "parts", all: number): string {
  const words = measure === "bytes" ? "bytes" : "lines and commas";
  return `with it the files of the folder have ${all} ${words}, and ${mostOfFolder[measure]} are the most`;
}
