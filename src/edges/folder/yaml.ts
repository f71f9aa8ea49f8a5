/**
 * Parses the text of a file into documents, and finds the place of every field in them. The dialect
 * is kubectl's: YAML 1.2 with merge keys, in which `yes`, `no`, `on` and `off` are switches, so
 * that files that work there work here. `plain-yaml.ts` reads ordinary text six times as fast; only
 * unusual text, and objects whose places are needed, are parsed with their places. A test compares
 * the two readers.
 */
import { createRequire } from "node:module";
import type { Document, Node } from "yaml";
import { bugWords, guarded } from "../../base/guarded.ts";
import type { Mapping } from "../../core/model/mapping.ts";
import type { Path } from "../../core/schema/findings.ts";
import { recognise } from "./kinds.ts";
import { mostParts, partsIn } from "./limits.ts";
import { Memory } from "./memory.ts";
import { type DoubledKey, doubledKeys, doubledWhy } from "./mistakes/doubled-keys.ts";
import { frameOf } from "./mistakes/frame.ts";
import type { Mistake } from "./mistakes/mistake.ts";
import { explained, unmeant } from "./mistakes/yaml-mistakes.ts";
import { packed } from "./packed.ts";
import { documentsIn, itemsIn, type Piece } from "./pieces.ts";
import type { Place } from "./place.ts";
import { plainDocuments } from "./plain-yaml.ts";

export interface YamlDocument {
  readonly value: unknown;
  /** Returns the place of a field, or of the nearest existing part around it. */
  readonly placeOf: (path: Path) => Place;
  /** Keys that a mapping without a kind has twice. As for helm, the last of each counts. */
  readonly doubled?: readonly DoubledKey[];
}

export type ReadYaml =
  | { readonly ok: true; readonly documents: readonly YamlDocument[] }
  /** `frame` has the lines around the place, where they may be shown. */
  | { readonly ok: false; readonly place: Place; readonly why: string; readonly frame?: string };

/** The deepest nesting of mappings and lists; Kubernetes objects have some ten levels. */
const deepest = 100;

/**
 * Reads the documents of a text. Text with deeper nesting than any object is a mistake: the readers
 * are recursive and might fail on it.
 */
export function readYaml(text: string, memory = new Memory()): ReadYaml {
  const tooDeep = { ok: false, place: { line: 1, column: 1 }, why: `it is nested deeper than ${deepest}` } as const;
  const read = guarded<ReadYaml>(
    () => readAnyDepth(text, memory),
    (bug) =>
      bug instanceof RangeError
        ? tooDeep
        : { ...tooDeep, why: `Sluice failed on it (${bugWords(bug)}), which is a bug` },
  );
  return read.ok && read.documents.some(({ value }) => !isShallow(value, deepest)) ? tooDeep : read;
}

/** Whether the nesting has at most so many levels. It goes no deeper, so deep text does no harm. */
function isShallow(value: unknown, levels: number): boolean {
  if (levels < 0) return false;
  if (typeof value !== "object" || value === null) return true;
  if (Array.isArray(value)) return value.every((item) => isShallow(item, levels - 1));
  for (const key in value) if (!isShallow((value as Mapping)[key], levels - 1)) return false;
  return true;
}

function readAnyDepth(text: string, memory: Memory): ReadYaml {
  const plain = plainDocuments(text, memory);
  if (plain === undefined) return readWithPlaces(text);
  const places = placesIn(packed(text), plain.map(itemCountOf));
  return { ok: true, documents: plain.map((value, at) => ({ value, placeOf: (path) => places(at, path) })) };
}

/**
 * Finds the place of a field in ordinary text, by the index `at` of its document. `itemCounts` has
 * the number of items of each document that is a list.
 */
function placesIn(textOf: () => string, itemCounts: readonly number[]): (at: number, path: Path) => Place {
  const once = new Map<string, unknown>();
  const known = <T>(key: string, make: () => T): T => {
    if (!once.has(key)) once.set(key, make());
    return once.get(key) as T;
  };
  const whole = () => known("", () => readWithPlaces(textOf()));
  const documents = () => known("documents", () => fitting(documentsIn(textOf()), itemCounts.length));
  const itemsOf = (at: number, piece: Piece) => known(`items of ${at}`, () => fitting(itemsIn(piece), itemCounts[at]));
  return (at, path) => {
    const document = documents()?.[at];
    const [list, item, ...below] = path;
    const inItem = document !== undefined && list === "items" && typeof item === "number";
    const piece = inItem ? itemsOf(at, document)?.[item] : document;
    if (piece !== undefined) {
      const read = known(`${at} ${inItem ? item : ""}`, () => readWithPlaces(piece.lines.join("\n")));
      const place = read.ok && read.documents.length === 1 && read.documents[0]!.placeOf(inItem ? below : path);
      if (place) return { line: place.line + piece.before, column: place.column };
    }
    const read = whole();
    return (read.ok ? read.documents[at]?.placeOf(path) : undefined) ?? { line: 1, column: 1 };
  };
}

function fitting(pieces: readonly Piece[] | undefined, count: number | undefined): readonly Piece[] | undefined {
  return pieces?.length === count ? pieces : undefined;
}

function itemCountOf(value: unknown): number {
  const { items } = value as { readonly items?: unknown };
  return Array.isArray(items) ? items.length : 0;
}

/**
 * The careful reader is loaded only when it is needed: it has seventy modules, for which a tool
 * would wait.
 */
const load = createRequire(import.meta.url);
const careful = (): typeof import("yaml") => load("yaml");

function tooManyParts(parts: number): string {
  const { plain, careful } = mostParts;
  if (parts > plain) return `it has ${parts} lines and commas, and ${plain} are the most`;
  return `something in it is broken or unusual (an anchor, a tag, a tab, the word yes), and ${careful} lines and commas are the most then`;
}

/** Reads a text with its places. Empty documents are left out. */
export function readWithPlaces(text: string): ReadYaml {
  const { LineCounter, parseAllDocuments } = careful();
  const parts = partsIn(text);
  if (parts > mostParts.careful) return { ok: false, place: { line: 1, column: 1 }, why: tooManyParts(parts) };
  const lines = new LineCounter();
  const documents = parseAllDocuments(text.replace(/^\uFEFF/, ""), {
    lineCounter: lines,
    prettyErrors: false,
    merge: true,
    uniqueKeys: false,
    customTags: (tags) => [switchTag, ...tags],
  });
  const placeAt = (offset: number): Place => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  };
  const read: YamlDocument[] = [];
  for (const document of Array.isArray(documents) ? documents : []) {
    const doubled = isUnread(document) ? [] : doubledKeys(careful(), document, placeAt);
    const wrong = mistakeIn(document, text, isValues(document) ? [] : doubled, placeAt);
    if (wrong !== undefined) return failure(text, wrong);
    const value = unfolded(document);
    if (value instanceof Error)
      return failure(text, { place: placeAt(document.range[0]), why: "its aliases unfold to too much" });
    if (value === null || value === undefined) continue;
    const { contents } = document;
    const placeOf = (path: Path) => placeAt(offsetOf(contents, path));
    read.push({ value, placeOf, ...(doubled.length > 0 && { doubled }) });
  }
  return { ok: true, documents: read };
}

/** Kinds that hold objects or values of charts. */
const holders = /^(?:List|HelmRelease|HelmChart|HelmChartConfig|Application|ApplicationSet|Kustomization)$/;

/** Whether it names an apiVersion and a kind; a values file has none. */
const isObject = (document: Document.Parsed): boolean =>
  [get(document, "apiVersion"), get(document, "kind")].every((one) => typeof one === "string");

/** Whether it may be a values file; helm takes one with a key twice, and kustomize takes none. */
function isValues(document: Document.Parsed): boolean {
  const ofKustomize = ["resources", "patches", "helmCharts"].some((key) => careful().isSeq(get(document, key)));
  return careful().isMap(document.contents) && !isObject(document) && !ofKustomize;
}

const get = ({ contents }: Document.Parsed, key: string): unknown =>
  careful().isMap(contents) ? contents.get(key) : undefined;

/** Whether nothing reads the object, so that a key that it has twice does no harm here. */
function isUnread(document: Document.Parsed): boolean {
  if (!isObject(document)) return false;
  const [apiVersion, kind] = [String(get(document, "apiVersion")), String(get(document, "kind"))];
  return !holders.test(kind) && recognise(apiVersion, kind).is === "other";
}

/** `doubled` are the keys that occur twice where this is a mistake, in the order of the text. */
function mistakeIn(
  document: Document.Parsed,
  text: string,
  doubled: readonly (DoubledKey & { readonly offset: number })[],
  placeAt: (offset: number) => Place,
): Mistake | undefined {
  const [error] = document.errors;
  const [first] = doubled;
  const twice = first && { place: first.place, why: doubledWhy(doubled) };
  if (error === undefined) return twice ?? unmeant(careful(), document, text, placeAt);
  const [offset] = error.pos;
  return first !== undefined && first.offset < offset ? twice : explained(text, error, placeAt(offset));
}

function failure(text: string, mistake: Mistake): ReadYaml {
  const frame = frameOf(text, mistake.place);
  return { ok: false, ...mistake, ...(frame !== undefined && { frame }) };
}

const switches: Readonly<Record<string, boolean>> = { yes: true, on: true, no: false, off: false };

const switchTag = {
  tag: "tag:yaml.org,2002:bool",
  default: true,
  test: /^(?:[yY]es|YES|[oO]n|ON|[nN]o|NO|[oO]ff|OFF)$/,
  resolve: (text: string): boolean => switches[text.toLowerCase()]!,
} as const;

/**
 * Returns the value of a document. The result is an Error if its aliases would expand to
 * gigabytes.
 */
function unfolded(document: { toJS(options: { maxAliasCount: number }): unknown }): unknown {
  try {
    return document.toJS({ maxAliasCount: 100 });
  } catch (error) {
    if (error instanceof ReferenceError) return error;
    throw error;
  }
}

function offsetOf(root: Node | null, path: Path): number {
  const { isMap, isPair, isScalar, isSeq } = careful();
  let node: unknown = root;
  let offset = root?.range?.[0] ?? 0;
  for (const step of path) {
    if (isSeq(node) && typeof step === "number") node = node.items[step];
    else if (isMap(node)) {
      // The last of two equal keys counts.
      const pair = node.items.findLast(({ key }) => isScalar(key) && String(key.value) === step);
      if (pair === undefined) return offset;
      offset = (pair.key as Node).range?.[0] ?? offset;
      node = isPair(pair) ? pair.value : undefined;
      continue;
    } else return offset;
    offset = (node as Node | undefined)?.range?.[0] ?? offset;
  }
  return offset;
}
