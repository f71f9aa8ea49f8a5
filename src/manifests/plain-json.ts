/**
 * Reads JSON, as `kubectl get -o json` and other programs write it. JSON is YAML as well, but
 * JSON's own reader is many times faster. Mistakes are left to the YAML readers. So are keys that
 * occur twice, because JSON's reader does not report these.
 */
import { isMapping } from "../model/mapping.ts";

/** Returns the documents; undefined if not all of them are JSON. */
export function jsonDocuments(text: string): readonly unknown[] | undefined {
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
  let inText = false;
  for (let at = 0; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    if (code === quote) inText = !inText;
    else if (code === backslash)
      at += 1; // in JSON it occurs in texts only
    else if (code === colon && !inText) count += 1;
  }
  return count;
}

const [quote, backslash, colon] = [34, 92, 58];

function keysIn(value: unknown): number {
  let count = 0;
  if (Array.isArray(value)) for (const item of value) count += keysIn(item);
  else if (isMapping(value)) for (const key in value) count += 1 + keysIn(value[key]);
  return count;
}
