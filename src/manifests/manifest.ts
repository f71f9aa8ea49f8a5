/**
 * Reads one file as objects and mistakes. It is pure: the consequence of a mistake for an object
 * depends on the object's earlier form, which the Library knows.
 */
import type { KubernetesObject } from "../model/objects.ts";
import type { WatchedKind } from "../model/snapshot.ts";
import type { ObjectName } from "../problem.ts";
import { fieldOf, isMapping, type Path } from "./check.ts";
import { mostObjects, mostPlaces, tooMany, tooManyDocuments } from "./limits.ts";
import { Memory } from "./memory.ts";
import type { WrittenObject } from "./object.ts";
import type { Place } from "./place.ts";
import { repaired } from "./repaired.ts";
import { readYaml, type YamlDocument } from "./yaml.ts";

export interface Manifest {
  readonly objects: readonly ManifestObject[];
  /** Objects of other kinds in their original form, such as a Deployment. */
  readonly others: readonly OtherObject[];
  /** Mappings that are no Kubernetes objects, such as a values file. Each is also a mistake. */
  readonly strays?: readonly OtherObject[];
  readonly faults: readonly Fault[];
  /** False: some object in it has no readable name, so a missing object may still be there. */
  readonly complete: boolean;
}

export interface ManifestObject {
  readonly kind: WatchedKind;
  readonly key: string;
  readonly place: Place;
  /** Where a field of it is, or the nearest existing part around it. */
  readonly placeOf: (path: Path) => Place;
  /** Undefined where a fault is fatal. */
  readonly object: KubernetesObject | undefined;
  /** The hosts that an unreadable Ingress seems to have, for `sluice why`. */
  readonly hosts?: readonly string[];
  /** What remains of an object that cannot be read, without its mistakes, for `sluice check`. */
  readonly repaired?: () => KubernetesObject | undefined;
}

export interface OtherObject {
  readonly value: Readonly<Record<string, unknown>>;
  readonly placeOf: (path: Path) => Place;
}

export interface Fault {
  /** Undefined where the mistake is in the file and in no object with a name. */
  readonly object: ObjectName | undefined;
  readonly place: Place;
  /** `spec.rules[0].host`, or empty for the object as a whole. */
  readonly field: string;
  readonly why: string;
  readonly fatal: boolean;
  /** The lines around it, of a text that is no YAML. */
  readonly frame?: string;
}

export function readManifest(text: string, memory = new Memory()): Manifest {
  const documents = tooManyDocuments(text);
  if (documents !== undefined) return unreadManifest(documents);
  const yaml = readYaml(text, memory);
  if (!yaml.ok) return unreadManifest(yaml.why, yaml.place, yaml.frame);
  const items = yaml.documents.flatMap(itemsOf);
  if (items.length > mostObjects) return unreadManifest(tooMany(items.length));
  const places = new Places();
  const read = items.map((item) => readItem(item, memory.objectOf(item.value), places));
  return {
    objects: read.flatMap(({ object }) => (object === undefined ? [] : [object])),
    others: read.flatMap(({ other }) => (other === undefined ? [] : [other])),
    strays: read.flatMap(({ stray }) => (stray === undefined ? [] : [stray])),
    faults: read.flatMap(({ faults }) => faults),
    complete: read.every(({ complete }) => complete),
  };
}

/** A file of which only the mistake is known. */
export function unreadManifest(why: string, place: Place = { line: 1, column: 1 }, frame?: string): Manifest {
  const fault = { object: undefined, place, field: "", why, fatal: true, ...(frame !== undefined && { frame }) };
  return { objects: [], others: [], faults: [fault], complete: false };
}

interface Item {
  readonly value: unknown;
  /** The path of the object in its document: a `List` holds several. */
  readonly path: Path;
  /**
   * The place function belongs to the document, so that an object which is kept does not keep the
   * document's value as well.
   */
  readonly placeIn: YamlDocument["placeOf"];
}

function itemsOf({ value: written, placeOf: placeIn }: YamlDocument): Item[] {
  const value = hasNull(written) ? withoutNulls(written) : written;
  if (value === undefined) return [];
  if (!isMapping(value) || !String(value.kind).endsWith("List") || !Array.isArray(value.items))
    return [{ value, path: [], placeIn }];
  return value.items.map((item, at) => ({ value: item, path: ["items", at], placeIn }));
}

/**
 * Finding a line costs more than all other work on a small object, so the number of lookups for
 * mistakes is limited.
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

function readItem({ value, path, placeIn }: Item, written: WrittenObject, places: Places): ReadItem {
  const placeOf = (at: Path): Place => placeIn([...path, ...at]);
  if (written.is === "other") return { other: { value: written.value, placeOf }, faults: [], complete: true };
  if (written.is === "nameless") {
    const fault = {
      object: undefined,
      place: places.of(() => placeOf([])),
      field: fieldOf(path),
      why: written.why,
      fatal: true,
    };
    return { ...(isMapping(value) && { stray: { value, placeOf } }), faults: [fault], complete: false };
  }
  const faults = written.findings.map(({ path: at, why, fatal }) => ({
    object: written.name,
    place: places.of(() => placeOf(at)),
    field: fieldOf(at),
    why,
    fatal,
  }));
  // An object whose apiVersion or kind the API does not have counts as unreadable, so its last good
  // form stays.
  const { kind, key, object } = written.is === "ours" ? written : unreadable(written.name);
  return {
    object: {
      kind,
      key,
      get place() {
        return placeOf([]);
      },
      placeOf,
      object,
      ...(object === undefined && isMapping(value) && { hosts: hostsIn(value), repaired: () => repaired(value, kind) }),
    },
    faults,
    complete: true,
  };
}

/** The hosts in a value of which nothing else is sure. */
function hostsIn(value: Readonly<Record<string, unknown>>): readonly string[] {
  const spec = isMapping(value.spec) ? value.spec : {};
  const rules = Array.isArray(spec.rules) ? spec.rules : [];
  const hosts = rules.map((rule) => (isMapping(rule) ? rule.host : undefined));
  return hosts.filter((host) => typeof host === "string").map((host) => host.toLowerCase());
}

const textMaps = new Set(["labels", "annotations", "data", "stringData"]);

/** A null field is absent, as in the API; in a mapping from text to text it is the empty text. */
function withoutNulls(value: unknown, field = ""): unknown {
  if (value === null) return undefined;
  if (Array.isArray(value)) return value.map((item) => withoutNulls(item));
  if (!isMapping(value)) return value;
  const entries = Object.entries(value).map(([key, item]) => {
    return [key, item === null && textMaps.has(field) ? "" : withoutNulls(item, key)] as const;
  });
  return Object.fromEntries(entries.filter(([, item]) => item !== undefined));
}

/** Almost no object has null fields; such an object is not copied. */
function hasNull(value: unknown): boolean {
  return value === null || (typeof value === "object" && Object.values(value).some(hasNull));
}

function unreadable({ kind, namespace, name }: ObjectName) {
  const key = namespace === undefined ? name : `${namespace}/${name}`;
  return { kind: kind as WatchedKind, key, object: undefined };
}
