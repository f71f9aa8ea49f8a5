/**
 * Reads JSON, as `kubectl get -o json` and other programs write it. JSON is YAML as well, but
 * JSON's own reader is many times faster. Mistakes are left to the YAML readers. So are keys that
 * occur twice, because JSON's reader does not report these.
 */
import { isMapping } from "../../core/model/mapping.ts";

/** The text that was read ahead, and its documents. */
let ahead: { readonly text: string; readonly documents: readonly unknown[] | undefined } | undefined;

/**
 * Whether all documents are JSON. They are kept for `jsonDocuments`, because the limits of a folder
 * and its reader both have to read them.
 */
export function isJsonText(text: string): boolean {
  ahead = { text, documents: documentsIn(text) };
  return ahead.documents !== undefined;
}

/** Returns the documents; undefined if not all of them are JSON. */
export function jsonDocuments(text: string): readonly unknown[] | undefined {
  const known = ahead;
  ahead = undefined;
  return known?.text === text ? known.documents : documentsIn(text);
}

function documentsIn(text: string): readonly unknown[] | undefined {
  if (!/^\s*\{/.test(text)) return undefined;
  const documents = text.split(/^---[ \r]*$/m).filter((document) => document.trim() !== "");
  try {
    const values = documents.map((document) => JSON.parse(document) as unknown);
    return documents.every((document, at) => colonsIn(document) === keysIn(values[at])) ? values : undefined;
  } catch {
    return undefined;
  }
}

/** Counts colons outside of texts, which are as many as keys. */
function colonsIn(json: string): number {
  let count = 0;
  for (let at = 0; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    if (code === quote) at = endOfText(json, at + 1);
    else if (code === colon) count += 1;
  }
  return count;
}

/** Returns the place of the quote that ends the text, which no backslash escapes. */
function endOfText(json: string, from: number): number {
  for (let end = json.indexOf('"', from); ; end = json.indexOf('"', end + 1)) {
    let before = end;
    while (json.charCodeAt(before - 1) === backslash) before -= 1;
    if ((end - before) % 2 === 0) return end;
  }
}

const [quote, backslash, colon] = [34, 92, 58];

function keysIn(value: unknown): number {
  let count = 0;
  if (Array.isArray(value)) for (const item of value) count += keysIn(item);
  else if (isMapping(value)) for (const key in value) count += 1 + keysIn(value[key]);
  return count;
}
