/**
 * Reads one file as objects and faults. The consequences of a fault are decided by the Library,
 * because they depend on the last good form of the object.
 */
import { hasGuardName, isGuardName } from "../../core/kinds/gateway/guard-fields.ts";
import { gatewayGroup } from "../../core/model/gateway/objects.ts";
import { sluiceGroup } from "../../core/model/gateway/route-settings.ts";
import { type Gist, gistOf } from "../../core/model/gist.ts";
import { isMapping, type Mapping } from "../../core/model/mapping.ts";
import { type KubernetesObject, keyOfName } from "../../core/model/objects.ts";
import type { ObjectName } from "../../core/model/problem.ts";
import type { WatchedKind } from "../../core/model/snapshot.ts";
import { type Finding, fieldOf, type Path } from "../../core/schema/findings.ts";
import { kinds } from "./kinds.ts";
import { mostObjects, mostPlaces, tooMany, tooManyDocuments } from "./limits.ts";
import type { Memory } from "./memory.ts";
import { type WrittenObject, writtenObject } from "./object.ts";
import type { Place } from "./place.ts";
import { readYaml, type YamlDocument } from "./yaml.ts";

export interface Manifest {
  readonly objects: readonly ManifestObject[];
  /** Objects of other kinds in their original form, such as a Deployment. */
  readonly others: readonly OtherObject[];
  /** Mappings that are no Kubernetes objects, such as a values file. Each is also a mistake. */
  readonly strays?: readonly OtherObject[];
  readonly faults: readonly Fault[];
  /** False if an object has no readable name: an object that seems missing may be this one. */
  readonly complete: boolean;
}

export interface ManifestObject {
  readonly kind: WatchedKind;
  readonly key: string;
  /** Returns the place of a field, or of the nearest existing part around it. */
  readonly placeOf: (path: Path) => Place;
  /** Undefined if a fault is fatal. */
  readonly object: KubernetesObject | undefined;
  /** The hosts, parents and ports that an unreadable object seems to have, for `sluice why`. */
  readonly gist?: Gist;
  /** An unreadable object as it was written, for `repaired`. */
  readonly unread?: Mapping;
}

export interface OtherObject {
  readonly value: Mapping;
  /** The value with its null fields, if it has any: helm takes a null for an order to remove. */
  readonly withNulls?: unknown;
  readonly placeOf: (path: Path) => Place;
  readonly doubled?: YamlDocument["doubled"];
}

export interface Fault {
  /** Undefined if the mistake is in the file and in no object with a name. */
  readonly object: ObjectName | undefined;
  readonly place: Place;
  /** Such as `spec.rules[0].host`; empty for the object as a whole. */
  readonly field: string;
  readonly why: string;
  readonly fatal: boolean;
  /** Whether the field is not known and closes what it stands on. */
  readonly closes?: true;
  /** The lines around the mistake, if the text is not YAML. */
  readonly frame?: string;
}

/**
 * Reads the text of a file. `memory` is for callers that read similar texts; all others save its
 * cost for each object.
 */
export function readManifest(text: string, memory?: Memory): Manifest {
  const documents = tooManyDocuments(text);
  if (documents !== undefined) return unreadManifest(documents);
  const yaml = readYaml(text, memory);
  if (!yaml.ok) return unreadManifest(yaml.why, yaml.place, yaml.frame);
  const items = yaml.documents.flatMap(itemsOf);
  if (items.length > mostObjects) return unreadManifest(tooMany(items.length));
  const places = new Places();
  const read = items.map((item) => readItem(item, memory?.objectOf(item.value) ?? writtenObject(item.value), places));
  return {
    objects: read.flatMap(({ object }) => (object === undefined ? [] : [object])),
    others: read.flatMap(({ other }) => (other === undefined ? [] : [other])),
    strays: read.flatMap(({ stray }) => (stray === undefined ? [] : [stray])),
    faults: read.flatMap(({ faults }) => faults),
    complete: read.every(({ complete }) => complete),
  };
}

/** Returns the Manifest of an unreadable file: one fault and no objects. */
export function unreadManifest(why: string, place: Place = { line: 1, column: 1 }, frame?: string): Manifest {
  const fault = { object: undefined, place, field: "", why, fatal: true, ...(frame !== undefined && { frame }) };
  return { objects: [], others: [], faults: [fault], complete: false };
}

interface Item {
  readonly value: unknown;
  /** The value with its null fields; undefined if it has none. */
  readonly withNulls: unknown;
  /** The path of the object in its document: a `List` holds several. */
  readonly path: Path;
  /**
   * Returns a place by its path in the document. The function holds no reference to the document's
   * value, so that a kept object does not keep the whole document in memory.
   */
  readonly placeIn: YamlDocument["placeOf"];
  readonly doubled: YamlDocument["doubled"] | undefined;
}

const wholeDocument: Path = [];

function itemsOf({ value: written, placeOf: placeIn, doubled }: YamlDocument): Item[] {
  const value = hasNull(written) ? withoutNulls(written) : written;
  if (value === undefined) return [];
  if (!isMapping(value) || !String(value.kind).endsWith("List") || !Array.isArray(value.items))
    return [{ value, withNulls: value === written ? undefined : written, path: wholeDocument, placeIn, doubled }];
  const common = { withNulls: undefined, placeIn, doubled: undefined };
  return value.items.map((item, at) => ({ ...common, value: item, path: ["items", at] }));
}

/**
 * Limits how many lines are looked up for mistakes, because one lookup costs more than all other
 * work on a small object. Further mistakes get the first line of the file.
 */
class Places {
  #left = mostPlaces;

  of(find: () => Place): Place {
    this.#left -= 1;
    return this.#left < 0 ? { line: 1, column: 1 } : find();
  }
}

interface ReadItem {
  readonly object?: ManifestObject;
  readonly other?: OtherObject;
  readonly stray?: OtherObject;
  readonly faults: readonly Fault[];
  readonly complete: boolean;
}

function readItem(
  { value, withNulls, path, placeIn, doubled }: Item,
  written: WrittenObject,
  places: Places,
): ReadItem {
  const placeOf = path.length === 0 ? placeIn : below(placeIn, path);
  if (written.is === "other")
    return { other: { value: written.value, ...nullsOf(withNulls), placeOf }, faults: [], complete: true };
  if (written.is === "nameless") {
    const fault = {
      object: undefined,
      place: places.of(() => placeOf([])),
      field: fieldOf(path),
      why: written.why,
      fatal: true,
    };
    const stray = isMapping(value)
      ? { stray: { value, ...nullsOf(withNulls), placeOf, ...(doubled && { doubled }) } }
      : {};
    return { ...stray, faults: [fault], complete: false };
  }
  const faults = written.findings.map((finding) => ({
    object: written.name,
    place: places.of(() => placeOf(finding.path)),
    field: fieldOf(finding.path),
    why: finding.why,
    fatal: finding.fatal,
    ...(closes(written.name.kind, finding) ? { closes: true as const } : {}),
  }));
  // An object counts as unreadable if the API does not have its apiVersion or kind, so its last
  // good form stays.
  const { kind, key, object } = written.is === "ours" ? written : unreadable(written.name);
  const read = { kind, key, placeOf, object };
  const isUnread = object === undefined && isMapping(value);
  return { object: isUnread ? { ...read, gist: gistOf(value), unread: value } : read, faults, complete: true };
}

/**
 * These functions live as long as their object. They are made here, because a function keeps
 * everything that any function made beside it uses, such as the value as it was written.
 */
const below =
  (placeIn: YamlDocument["placeOf"], path: Path): YamlDocument["placeOf"] =>
  (at) =>
    placeIn([...path, ...at]);

const nullsOf = (withNulls: unknown): Pick<OtherObject, "withNulls"> => (withNulls === undefined ? {} : { withNulls });

/** Kinds of which the translation does not ignore an unknown field that may be a guard. */
const guardable: ReadonlySet<string> = new Set(
  Object.entries(kinds).flatMap(([kind, { apiVersion }]) => {
    const [group = ""] = apiVersion.split("/");
    return kind === "Ingress" || group === gatewayGroup || group === sluiceGroup ? [kind] : [];
  }),
);
/** Kinds in which each field restricts what the object permits. */
const strict: ReadonlySet<string> = new Set(["BackendTLSPolicy", "ReferenceGrant", "RouteSettings"]);

function closes(kind: string, { path, unknown }: Finding): boolean {
  if (unknown === undefined || path[0] === "metadata" || path[0] === "status") return false;
  if (!guardable.has(kind)) return false;
  return (
    hasGuardName(unknown.value) ||
    strict.has(kind) ||
    path.some((step) => typeof step === "string" && isGuardName(step))
  );
}

const textMaps = new Set(["labels", "annotations", "data", "stringData"]);

/**
 * Removes null fields. A null field is absent, as in the API; in a mapping from text to text, and
 * as a host, it is the empty text.
 */
function withoutNulls(value: unknown, field = ""): unknown {
  if (value === null) return undefined;
  if (Array.isArray(value)) return value.map((item) => withoutNulls(item));
  if (!isMapping(value)) return value;
  const entries = Object.entries(value).map(([key, item]) => {
    return [key, item === null && (textMaps.has(field) || key === "host") ? "" : withoutNulls(item, key)] as const;
  });
  return Object.fromEntries(entries.filter(([, item]) => item !== undefined));
}

/** Whether the value has null fields. Few objects do; all others are used without a copy. */
function hasNull(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return value === null;
  if (Array.isArray(value)) return value.some(hasNull);
  for (const key in value) if (hasNull((value as Mapping)[key])) return true;
  return false;
}

function unreadable(name: ObjectName) {
  return { kind: name.kind as WatchedKind, key: keyOfName(name), object: undefined };
}
