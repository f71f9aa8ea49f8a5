/** How much a folder may ask of its reader: one file that is too large, or has too many documents, is left alone with one sentence. */
import { closeSync, fstatSync, openSync, readFileSync } from "node:fs";

/** A dump of ten thousand hosts has some 30 MB. */
export const mostBytes = 64 * 1024 * 1024;

/**
 * Lines and commas in a text of YAML, each of which may begin something that costs memory whatever it is: half a kilobyte, and several for the
 * careful reader. A dump of ten thousand hosts has a million lines. JSON is read in another way and has no such bound.
 */
export const mostParts = { plain: 1_500_000, careful: 250_000 };

/** Where so many faults stand is found out; those beyond are said without. */
export const mostPlaces = 10_000;

/** Each costs memory even where nothing is in it. */
export const mostObjects = 200_000;

export type ReadText = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly why: string };

/** `path`: 0 is standard input. `why` finishes the sentence "it cannot be read: …". */
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
    return { ok: false, why: error.message };
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

/** Why a text of YAML with so many documents is not read; undefined where it is. */
export function tooManyDocuments(text: string): string | undefined {
  let count = 1;
  for (let at = text.indexOf("\n---"); at >= 0; at = text.indexOf("\n---", at + 4)) count += 1;
  return count > mostObjects ? tooMany(count) : undefined;
}

export const tooMany = (count: number): string => `it has ${count} documents or items, and ${mostObjects} are the most`;
