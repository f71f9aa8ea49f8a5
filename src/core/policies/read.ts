/**
 * Reads the annotations of one Ingress by the declarations. Two Ingresses with the same texts get
 * the same value object, as long as no feature has read another object for it. So thousands of
 * Ingresses share one shape.
 */
import { type AskedPolicy, strictPolicy } from "../kinds/asked.ts";
import { variablesDeclaredIn } from "../kinds/declared-variables.ts";
import { readValue } from "../kinds/kind.ts";
import { type Meaning, meaningOf } from "../kinds/vocabulary/places-of-words.ts";
import type { KubernetesObject } from "../model/objects.ts";
import type { ObjectName, Problem } from "../model/problem.ts";
import { declaredBySettings } from "../settings/declared-variables.ts";
import type { Settings } from "../settings/registry.ts";
import { defaultOf, FeatureReader, type Lookup } from "./feature-reader.ts";
import type { Reading } from "./reading.ts";
import { type FeatureValues, featureList, fieldsByKey } from "./registry.ts";
import { elsewhere, elsewhereByFamily, removed } from "./removed.ts";
import { restrictionsOn } from "./restrictions.ts";

/**
 * A cache of readings by their texts. It holds a reading only as long as its values are in use: a
 * controller lives for months, and a webhook reads whatever clients send.
 */
class Readings {
  /**
   * A Claim refers to the values and not to the reading; the map keeps the reading as long as the
   * values live.
   */
  readonly #ofValues = new WeakMap<FeatureValues, Reading>();
  readonly #byText = new Map<string, WeakRef<FeatureValues>>();
  readonly #gone = new FinalizationRegistry<string>((text) => {
    // A newer reading of the same text may have replaced it.
    if (this.#byText.get(text)?.deref() === undefined) this.#byText.delete(text);
  });

  get(text: string): Reading | undefined {
    const values = this.#byText.get(text)?.deref();
    return values && this.#ofValues.get(values);
  }

  set(text: string, reading: Reading): void {
    this.#ofValues.set(reading.values, reading);
    this.#byText.set(text, new WeakRef(reading.values));
    this.#gone.register(reading.values, text);
  }
}

const snippetFields = [...fieldsByKey].flatMap(([key, { declared }]) =>
  declared.declares === true ? [[key, declared] as const] : [],
);

export const annotationKeys: readonly string[] = [...fieldsByKey.keys()];

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
  const given = new Set<string>();
  for (const key of own.keys()) {
    const field = fieldsByKey.get(key);
    if (field === undefined) problems.push(strange(object, key));
    else given.add(field.name);
  }
  const restricted = new Set<string>();
  for (const { key, why } of restrictionsOn(own, (key) => fieldsByKey.get(key)?.declared.risk, settings)) {
    restricted.add(key);
    problems.push({ object, kind: "annotation-unreadable", key, why, done: "reject" });
  }
  const reader = new FeatureReader({
    object,
    own,
    restricted,
    declared: declaredFor(own, restricted, settings),
    settings,
    lookup,
  });
  const values: Record<string, unknown> = {};
  for (const [name, feature] of featureList) {
    values[name] = given.has(name) ? reader.valueOf(feature) : defaultOf(feature, settings);
  }
  const isRejected = restricted.size > 0 || reader.consequences.has("reject");
  return {
    values: values as FeatureValues,
    verdict: isRejected ? "reject" : reader.consequences.has("deny") ? "deny" : "serve",
    problems: [...problems, ...reader.problems],
    elsewhere: reader.elsewhere,
    references: [...reader.references],
  };
}

/**
 * Returns the variables that the snippets of the Ingress declare, if the operator permits them,
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
 * Returns the probable meaning of an unknown annotation: a name of another program, a similar name
 * of ours, or a name that begins like those of other programs.
 */
export function meaningOfUnknown(key: string): Meaning {
  const known = elsewhere(key);
  if (known !== undefined) return { elsewhere: known };
  const meaning = meaningOf(key, "annotation", annotationKeys);
  if (meaning.nearest !== undefined || meaning.elsewhere !== undefined) return meaning;
  const family = elsewhereByFamily(key);
  return family === undefined ? {} : { elsewhere: family };
}

function strange(object: ObjectName, key: string): Problem {
  if (Object.hasOwn(removed, key)) {
    const successor = removed[key];
    return { object, kind: "annotation-removed", key, ...(successor === undefined ? {} : { successor }) };
  }
  return { object, kind: "annotation-unknown", key, ...meaningOfUnknown(key) };
}
