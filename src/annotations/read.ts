/**
 * Reads the annotations of one Ingress by the declarations. Two Ingresses with the same texts get
 * the same value object, as long as no feature has read another object for it. So thousands of
 * Ingresses share one shape.
 */

import { type AskedPolicy, strictPolicy } from "../kinds/asked.ts";
import { variablesDeclaredIn } from "../kinds/declared-variables.ts";
import { type Kind, type Read, readValue, shown } from "../kinds/kind.ts";
import { type Meaning, meaningOf } from "../kinds/vocabulary/places-of-words.ts";
import type { KubernetesObject } from "../model/objects.ts";
import type { Consequence, ObjectName, Problem } from "../problem.ts";
import { declaredBySettings } from "../settings/declared-variables.ts";
import type { Settings } from "../settings/registry.ts";
import type { AnyFeature, Context, Field, Fields } from "./declare.ts";
import type { Reading } from "./reading.ts";
import { Readings } from "./readings.ts";
import { type FeatureValues, featureList } from "./registry.ts";
import { elsewhere, removed } from "./removed.ts";
import { restrictionsOn } from "./restrictions.ts";

/** The objects that annotations may refer to, as the Snapshot has them. */
export interface Lookup extends Pick<Context, "secret" | "configMap" | "service"> {
  /** False with --enable-annotation-validation=false. */
  readonly validates?: boolean;
  /** The default is the strict policy. */
  readonly asked?: AskedPolicy;
  /** See `Context`. The default is the operator's setting. */
  readonly foreign?: Context["foreign"];
}

const fieldOfKey = new Map<string, { feature: string; name: string; declared: Field<unknown>; canonical: string }>();
for (const [feature, { fields }] of featureList) {
  for (const [name, declared] of Object.entries(fields as Fields)) {
    for (const key of [declared.key, ...(declared.aliases ?? [])]) {
      fieldOfKey.set(key, { feature, name, declared, canonical: declared.key });
    }
  }
}

const snippetFields = [...fieldOfKey].flatMap(([key, { declared }]) =>
  declared.declares === true ? [[key, declared] as const] : [],
);

export const annotationKeys: readonly string[] = [...fieldOfKey.keys()];

/** Gives each policy a number. A process has one policy, and a test has a few. */
const policyNumbers = new WeakMap<AskedPolicy, number>();
let policies = 0;

function numberOf(policy: AskedPolicy): number {
  const known = policyNumbers.get(policy) ?? ++policies;
  policyNumbers.set(policy, known);
  return known;
}

/**
 * Readings by Settings, then by the texts of the annotations. Only readings that depend on nothing
 * else are kept here.
 */
const interned = new WeakMap<Settings, Readings>();
const defaults = new WeakMap<Settings, Map<string, unknown>>();

/** Reads an Ingress, or another object that has the same annotations in another form. */
export function readAnnotations(object: KubernetesObject, prefix: string, settings: Settings, lookup: Lookup): Reading {
  const own = ownAnnotations(object, prefix);
  // Without annotations there is nothing to validate.
  const key = own.length === 0 ? "" : JSON.stringify([lookup.validates, numberOf(lookup.asked ?? strictPolicy), own]);
  const known = interned.get(settings) ?? new Readings();
  interned.set(settings, known);
  const before = known.get(key);
  if (before !== undefined) return before;
  const reading = read(object, new Map(own), settings, lookup);
  if (reading.references.length === 0 && reading.problems.length === 0) known.set(key, reading);
  return reading;
}

/** Returns the values of an Ingress without annotations. */
export function unannotated(settings: Settings): FeatureValues {
  const nothing = { apiVersion: "", kind: "Ingress", metadata: { name: "", namespace: "" } } as const;
  const none = () => undefined;
  return readAnnotations(nothing, "-", settings, { secret: none, configMap: none, service: none }).values;
}

/** Returns the annotations that have the prefix, sorted, with the prefix removed. */
function ownAnnotations({ metadata }: KubernetesObject, prefix: string): [string, string][] {
  const { annotations = {} } = metadata;
  const own: [string, string][] = [];
  for (const key in annotations) {
    if (!key.startsWith(prefix) || key[prefix.length] !== "/") continue;
    own.push([key.slice(prefix.length + 1), annotations[key]!]);
  }
  return own.length < 2 ? own : own.sort(([a], [b]) => (a < b ? -1 : 1));
}

function read(
  { kind, metadata }: KubernetesObject,
  own: ReadonlyMap<string, string>,
  settings: Settings,
  lookup: Lookup,
): Reading {
  const object = { kind, namespace: metadata.namespace ?? "default", name: metadata.name };
  const problems: Problem[] = [];
  const elsewhere: Problem[] = [];
  const references = new Set<string>();
  const consequences = new Set<Consequence>();
  const given = new Set<string>();
  for (const key of own.keys()) {
    const field = fieldOfKey.get(key);
    if (field === undefined) problems.push(strange(object, key));
    else given.add(field.feature);
  }
  const restricted = new Set<string>();
  for (const { key, why } of restrictionsOn(own, (key) => fieldOfKey.get(key)?.declared.risk, settings)) {
    consequences.add("reject");
    restricted.add(key);
    problems.push({ object, kind: "annotation-unreadable", key, why, done: "reject" });
  }

  const declared = declaredFor(own, restricted, settings);
  const declares = (variable: string) => declared.has(variable);
  const values: Record<string, unknown> = {};
  for (const [name, feature] of featureList) {
    values[name] = given.has(name) ? featureValue(feature) : defaultOf(name, feature, settings);
  }
  const verdict = consequences.has("reject") ? "reject" : consequences.has("deny") ? "deny" : "serve";
  return { values: values as FeatureValues, verdict, problems, elsewhere, references: [...references] };

  function featureValue(feature: AnyFeature): unknown {
    const fields: Record<string, unknown> = {};
    const readable = new Set<string>();
    const blank = new Set<string>();
    const has = (name: string) => (textOfField(feature.fields[name], own)[1] ?? "") !== "";
    const open = feature.gate === undefined || has(feature.gate);
    for (const [name, declared] of Object.entries(feature.fields as Fields)) {
      const [key, text] = textOfField(declared, own);
      fields[name] = declared.fallback(settings);
      if (restricted.has(key)) continue;
      if (text === "") blank.add(name);
      if (text === undefined || (text === "" && !(declared.emptyIsBad === true && key === declared.key))) continue;
      const result = readQuoted(kindOf(declared), text);
      if (result.ok) {
        fields[name] = result.value;
        readable.add(name);
        if (result.besides !== undefined) {
          problems.push({ object, kind: "annotation-partly", key, why: result.besides });
        }
      } else {
        const counts = open && result.mild !== true && feature.idle?.(name, has) !== true;
        const done = counts ? (declared.onBad ?? "default") : "default";
        consequences.add(done);
        problems.push({ object, kind: "annotation-unreadable", key, why: result.why, done });
      }
    }
    if (feature.resolve === undefined) return fields;
    let looked = false;
    const look = (reference: string) => {
      looked = true;
      references.add(reference);
    };
    const resolved = feature.resolve(fields, contextOf(readable, blank, look));
    if ("refuse" in resolved) {
      consequences.add(resolved.refuse);
      problems.push(resolved.problem);
      if (looked) elsewhere.push(resolved.problem);
      return defaultOf(feature.name, feature, settings);
    }
    problems.push(...(resolved.problems ?? []));
    if (looked) elsewhere.push(...(resolved.problems ?? []));
    return resolved.value;
  }

  function kindOf({ kind, loose, naming }: Field<unknown>): Kind<unknown> {
    if (lookup.validates === false && loose !== undefined) return loose;
    return declared.size > 0 && naming !== undefined ? naming(declares) : kind;
  }

  function contextOf(
    readable: ReadonlySet<string>,
    blank: ReadonlySet<string>,
    look: (reference: string) => void,
  ): Context {
    const tracked =
      <T>(kind: string, get: (key: string) => T) =>
      (key: string) => {
        look(`${kind} ${key}`);
        return get(key);
      };
    return {
      ingress: object,
      settings,
      asked: lookup.asked ?? strictPolicy,
      given: (name) => readable.has(name),
      blank: (name) => blank.has(name),
      declares,
      foreign: lookup.foreign ?? byOperator(settings),
      secret: tracked("Secret", lookup.secret),
      configMap: tracked("ConfigMap", lookup.configMap),
      service: tracked("Service", lookup.service),
    };
  }
}

function byOperator({ allowCrossNamespaceResources }: Settings): Context["foreign"] {
  return (kind, key) =>
    allowCrossNamespaceResources
      ? undefined
      : `${kind} ${key} is in another namespace, which the operator does not allow`;
}

/**
 * Returns the variables that the snippets of the Ingress declare, where the operator permits them,
 * and those of the ConfigMap's snippets. A snippet that cannot be read declares none, and one that
 * is too long is not parsed.
 */
function declaredFor(
  own: ReadonlyMap<string, string>,
  restricted: ReadonlySet<string>,
  settings: Settings,
): ReadonlySet<string> {
  const theirs = declaredBySettings(settings);
  if (!settings.allowSnippetAnnotations) return theirs;
  const names = snippetFields.flatMap(([key, { kind }]) => {
    const text = own.get(key);
    if (text === undefined || restricted.has(key) || !readValue(kind, text).ok) return [];
    return variablesDeclaredIn(text);
  });
  return names.length === 0 ? theirs : new Set([...theirs, ...names]);
}

/**
 * Reads the text by its kind. Where only the quotes around the text are wrong, the sentence says
 * so.
 */
function readQuoted(kind: Kind<unknown>, text: string): Read<unknown> {
  const result = readValue(kind, text);
  const bare = result.ok ? undefined : /^(["'])(.+)\1$/s.exec(text)?.[2];
  if (result.ok || bare === undefined || !readValue(kind, bare).ok) return result;
  return { ...result, why: `${shown(text)} has quotes inside the value; write ${bare} in one pair of quotes` };
}

/**
 * Returns the key that counts for a field, and its text: an alias counts where the key is absent or
 * empty.
 */
function textOfField(declared: Field<unknown>, own: ReadonlyMap<string, string>): [string, string | undefined] {
  const keys = [declared.key, ...(declared.aliases ?? [])];
  const deciding = keys.find((key) => (own.get(key) ?? "") !== "") ?? keys.find((key) => own.has(key)) ?? declared.key;
  return [deciding, own.get(deciding)];
}

/** Returns the value of a feature without annotations, which depends on the Settings alone. */
function defaultOf(name: string, feature: AnyFeature, settings: Settings): unknown {
  const known = mapOf(defaults, settings);
  if (!known.has(name)) {
    const fields = Object.fromEntries(
      Object.entries(feature.fields as Fields).map(([field, declared]) => [field, declared.fallback(settings)]),
    );
    const none = () => undefined;
    const context: Context = {
      ingress: { kind: "Ingress", namespace: "", name: "" },
      settings,
      asked: strictPolicy,
      given: () => false,
      blank: () => false,
      declares: () => false,
      foreign: byOperator(settings),
      secret: none,
      configMap: none,
      service: none,
    };
    const resolved = feature.resolve?.(fields, context) ?? { value: fields };
    if ("refuse" in resolved) throw new TypeError(`feature ${name} refuses an Ingress without annotations`);
    known.set(name, resolved.value);
  }
  return known.get(name);
}

const meaning = (key: string): Meaning => meaningOf(key, "annotation", annotationKeys);

function strange(object: ObjectName, key: string): Problem {
  if (key in removed) {
    const successor = removed[key];
    return { object, kind: "annotation-removed", key, ...(successor === undefined ? {} : { successor }) };
  }
  const known = elsewhere(key);
  return { object, kind: "annotation-unknown", key, ...(known === undefined ? meaning(key) : { elsewhere: known }) };
}

function mapOf<K extends object, V>(maps: WeakMap<K, Map<string, V>>, key: K): Map<string, V> {
  let map = maps.get(key);
  if (map === undefined) {
    map = new Map();
    maps.set(key, map);
  }
  return map;
}
