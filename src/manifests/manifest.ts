/**
 * One file as the objects in it and what is wrong with it. Pure: what became of an object because of a fault depends on
 * what was there before, and is for the Library to say.
 */
import { type KubernetesObject, keyOf } from "../model/objects.ts";
import type { WatchedKind } from "../model/snapshot.ts";
import type { ObjectName } from "../problem.ts";
import { fieldOf, isMapping, type Path } from "./check.ts";
import { kinds, recognise } from "./kinds.ts";
import { type Place, readYaml, type YamlDocument } from "./yaml.ts";

export interface Manifest {
  readonly objects: readonly ManifestObject[];
  /** Objects of other kinds, as they are written: a Deployment, say. */
  readonly others: readonly OtherObject[];
  readonly faults: readonly Fault[];
  /** False: some object in it cannot even be named, so what is missing need not be gone. */
  readonly complete: boolean;
}

export interface ManifestObject {
  readonly kind: WatchedKind;
  readonly key: string;
  readonly place: Place;
  /** Where a field of it stands, or the nearest thing around it that is there. */
  readonly placeOf: (path: Path) => Place;
  /** Undefined where a fault is fatal. */
  readonly object: KubernetesObject | undefined;
}

export interface OtherObject {
  readonly value: Readonly<Record<string, unknown>>;
  readonly placeOf: (path: Path) => Place;
}

export interface Fault {
  /** Undefined where the fault is in the file and in no object that has a name. */
  readonly object: ObjectName | undefined;
  readonly place: Place;
  /** `spec.rules[0].host`, or empty where the object as a whole is meant. */
  readonly field: string;
  readonly why: string;
  readonly fatal: boolean;
}

export function readManifest(text: string): Manifest {
  const yaml = readYaml(text);
  if (!yaml.ok) {
    const { place, why } = yaml;
    return {
      objects: [],
      others: [],
      faults: [{ object: undefined, place, field: "", why, fatal: true }],
      complete: false,
    };
  }
  const read = yaml.documents.flatMap(itemsOf).map(readItem);
  return {
    objects: read.flatMap(({ object }) => (object === undefined ? [] : [object])),
    others: read.flatMap(({ other }) => (other === undefined ? [] : [other])),
    faults: read.flatMap(({ faults }) => faults),
    complete: read.every(({ complete }) => complete),
  };
}

interface Item {
  readonly value: unknown;
  /** Of the object in its document: a `List` holds several. */
  readonly path: Path;
  /** Of the document: what keeps it must not keep the document's value as well. */
  readonly placeIn: YamlDocument["placeOf"];
}

function itemsOf({ value: written, placeOf: placeIn }: YamlDocument): Item[] {
  const value = withoutNulls(written);
  if (value === undefined) return [];
  if (!isMapping(value) || !String(value.kind).endsWith("List") || !Array.isArray(value.items))
    return [{ value, path: [], placeIn }];
  return value.items.map((item, at) => ({ value: item, path: ["items", at], placeIn }));
}

interface ReadItem {
  readonly object?: ManifestObject;
  readonly other?: OtherObject;
  readonly faults: readonly Fault[];
  readonly complete: boolean;
}

function readItem({ value, path, placeIn }: Item): ReadItem {
  const nameless = (why: string): ReadItem => ({
    faults: [{ object: undefined, place: placeIn(path), field: fieldOf(path), why, fatal: true }],
    complete: false,
  });
  if (!isMapping(value)) return nameless("it is no Kubernetes object");
  const { apiVersion, kind } = value;
  if (typeof apiVersion !== "string" || typeof kind !== "string")
    return nameless(`it is no Kubernetes object: ${typeof kind === "string" ? "apiVersion" : "kind"} is missing`);
  const recognised = recognise(apiVersion, kind);
  const placeOf = (at: Path): Place => placeIn([...path, ...at]);
  if (recognised.is === "other") return { other: { value, placeOf }, faults: [], complete: true };
  const meta = isMapping(value.metadata) ? value.metadata : {};
  if (typeof meta.name !== "string" || meta.name === "") return nameless(`this ${kind} has no metadata.name`);
  const namespaced = kinds[kind as WatchedKind]?.namespaced ?? true;
  const namespace = typeof meta.namespace === "string" && meta.namespace !== "" ? meta.namespace : "default";
  const metadata = { ...meta, name: meta.name, namespace };
  const { namespace: _, ...bare } = metadata;
  const object = { ...value, apiVersion, kind, metadata: namespaced ? metadata : bare } as KubernetesObject;
  const name: ObjectName = { kind, name: meta.name, ...(namespaced ? { namespace } : {}) };
  if (recognised.is === "mistaken") {
    const fault = { object: name, place: placeIn([...path, "apiVersion"]), field: "apiVersion" };
    return { faults: [{ ...fault, why: recognised.why, fatal: true }], complete: true };
  }
  const findings = recognised.rule.check(object, []);
  const faults = findings.map(({ path: at, why, fatal }) => ({
    object: name,
    place: placeOf(at),
    field: fieldOf(at),
    why,
    fatal,
  }));
  const good = findings.every(({ fatal }) => !fatal);
  const content = good ? finished(object) : undefined;
  return {
    object: {
      kind: recognised.kind,
      key: keyOf(object),
      get place() {
        return placeOf([]);
      },
      placeOf,
      object: content,
    },
    faults,
    complete: true,
  };
}

/** As the API server would hand it out: the data of a Secret in one piece and without line breaks. */
function finished(object: KubernetesObject): KubernetesObject {
  if (object.kind !== "Secret") return object;
  const {
    stringData = {},
    data = {},
    ...rest
  } = object as KubernetesObject & {
    readonly data?: Record<string, string>;
    readonly stringData?: Record<string, string>;
  };
  const bare = Object.entries(data).map(([key, text]) => [key, text.replace(/[\r\n]/g, "")]);
  const plain = Object.entries(stringData).map(([key, text]) => [key, Buffer.from(text).toString("base64")]);
  return { ...rest, data: Object.fromEntries([...bare, ...plain]) } as KubernetesObject;
}

const textMaps = new Set(["labels", "annotations", "data", "stringData"]);

/**
 * A field that is null is absent, as in the API; in a mapping from text to text, it is the empty text. Nearly nothing has any, and
 * gives itself.
 */
function withoutNulls(value: unknown, field = ""): unknown {
  if (value === null) return undefined;
  if (Array.isArray(value)) {
    const items = value.map((item) => withoutNulls(item));
    return items.every((item, at) => item === value[at]) ? value : items;
  }
  if (!isMapping(value)) return value;
  const entries = Object.entries(value).map(([key, item]) => {
    return [key, item === null && textMaps.has(field) ? "" : withoutNulls(item, key)] as const;
  });
  if (entries.every(([key, item]) => item === value[key])) return value;
  return Object.fromEntries(entries.filter(([, item]) => item !== undefined));
}
