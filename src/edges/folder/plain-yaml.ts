/**
 * A fast reader for ordinary YAML: mappings, lists, texts and numbers, as people and kubectl write
 * them. Constructs that readers disagree about (anchors, tags, merge keys, `yes` and `no`) are left
 * to the careful reader, and so is every mistake.
 */
import { CORE_SCHEMA, loadAll } from "js-yaml";
import type { Mapping } from "../../core/model/mapping.ts";
import { mostParts, partsIn } from "./limits.ts";
import { Memory } from "./memory.ts";
import { jsonDocuments } from "./plain-json.ts";

/**
 * A tag, an anchor, an alias, a directive, a merge key, a key of several lines, a tab, braces of a
 * template, or a word that is a switch.
 */
const extraordinary =
  /(^|[\s[{,:-])([&*!%][^\s]|<<\s*:|\?\s|\{\{)|\t|(?:^|[:[{,-]\s*)(?:y|n|yes|no|on|off)\s*(?:[,\]}#]|$)|^%|^\uFEFF/im;

/**
 * Returns the documents that are not empty. Returns undefined if the text is not ordinary, or
 * has a mistake.
 */
export function plainDocuments(text: string, memory = new Memory()): readonly unknown[] | undefined {
  const json = jsonDocuments(text);
  if (json !== undefined) return json;
  if (partsIn(text) > mostParts.plain || extraordinary.test(text)) return undefined;
  try {
    return text.split(documentStart).flatMap((document) => memory.valuesIn(document, valuesIn));
  } catch {
    return undefined;
  }
}

/** Three dashes at the beginning of a line begin a document, even in the middle of a text. */
const documentStart = /^(?=---(?:\s|$))/m;

/**
 * The reader's texts are parts of the document's text, and V8 keeps the whole of it for any of
 * them. JSON's reader makes texts of their own. A number that JSON does not have is left to the
 * careful reader.
 */
function valuesIn(document: string): readonly unknown[] {
  const values = loadAll(document, { schema: CORE_SCHEMA }).filter((value) => value !== null && value !== undefined);
  if (!isJson(values)) throw new RangeError("JSON has no such number");
  return JSON.parse(JSON.stringify(values)) as readonly unknown[];
}

function isJson(value: unknown): boolean {
  if (typeof value === "number") return Number.isFinite(value) && !Object.is(value, -0);
  if (typeof value !== "object" || value === null) return true;
  for (const key in value) if (!isJson((value as Mapping)[key])) return false;
  return true;
}
