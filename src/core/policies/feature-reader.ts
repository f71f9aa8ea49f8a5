/** Reads the features of one Ingress from its annotations, one feature after the other. */
import { type AskedPolicy, strictPolicy } from "../kinds/asked.ts";
import { type Kind, type Read, readValue, shown } from "../kinds/kind.ts";
import type { Consequence, Problem } from "../model/problem.ts";
import type { Settings } from "../settings/registry.ts";
import type { AnyFeature, Context, Field, Fields } from "./declare.ts";

/** The objects that annotations may refer to, as the Snapshot has them. */
export interface Lookup extends Pick<Context, "secret" | "configMap" | "service"> {
  /** False with --enable-annotation-validation=false. */
  readonly validates?: boolean;
  /** The default is the strict policy. */
  readonly asked?: AskedPolicy;
  /** See `Context`. The default is the operator's setting. */
  readonly foreign?: Context["foreign"];
}

/** The annotations of one Ingress, with what decides how they are read. */
export interface Annotated {
  readonly object: Context["ingress"];
  /** The texts by their keys, without the prefix. */
  readonly own: ReadonlyMap<string, string>;
  /** The keys that the operator does not permit. They are not read. */
  readonly restricted: ReadonlySet<string>;
  /** The variables that permitted snippets declare, so that other values may name them. */
  readonly declared: ReadonlySet<string>;
  readonly settings: Settings;
  readonly lookup: Lookup;
}

/** The values of a feature's fields, before the feature makes its own value of them. */
interface FieldsRead {
  readonly fields: Readonly<Record<string, unknown>>;
  /** The names of fields whose annotation has a readable value. */
  readonly readable: ReadonlySet<string>;
  /** The names of fields whose annotation is empty. */
  readonly blank: ReadonlySet<string>;
}

export class FeatureReader {
  readonly problems: Problem[] = [];
  /** Those of the problems that depend on other objects too. */
  readonly elsewhere: Problem[] = [];
  /** The other objects that were looked up, each as its kind and its key. */
  readonly references = new Set<string>();
  readonly consequences = new Set<Consequence>();
  readonly #annotated: Annotated;

  constructor(annotated: Annotated) {
    this.#annotated = annotated;
  }

  valueOf(feature: AnyFeature): unknown {
    const read = this.#fieldsOf(feature);
    if (feature.resolve === undefined) return read.fields;
    const references = new Set<string>();
    const resolved = feature.resolve(read.fields, this.#contextOf(read, references));
    const problems = "refuse" in resolved ? [resolved.problem] : (resolved.problems ?? []);
    this.problems.push(...problems);
    if (references.size > 0) this.elsewhere.push(...problems);
    for (const one of references) this.references.add(one);
    if (!("refuse" in resolved)) return resolved.value;
    this.consequences.add(resolved.refuse);
    return defaultOf(feature, this.#annotated.settings);
  }

  #fieldsOf(feature: AnyFeature): FieldsRead {
    const { object, own, restricted, settings } = this.#annotated;
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
      const result = readQuoted(this.#kindOf(declared), text);
      if (result.ok) {
        fields[name] = result.value;
        readable.add(name);
        if (result.besides !== undefined) {
          this.problems.push({ object, kind: "annotation-partly", key, why: result.besides });
        }
      } else {
        const counts = open && result.mild !== true && feature.idle?.(name, has) !== true;
        const done = counts ? (declared.onBad ?? "default") : "default";
        this.consequences.add(done);
        this.problems.push({ object, kind: "annotation-unreadable", key, why: result.why, done });
      }
    }
    return { fields, readable, blank };
  }

  #kindOf({ kind, loose, naming }: Field<unknown>): Kind<unknown> {
    const { declared, lookup } = this.#annotated;
    if (lookup.validates === false && loose !== undefined) return loose;
    return declared.size > 0 && naming !== undefined ? naming((variable) => declared.has(variable)) : kind;
  }

  /** Returns what a feature may look at. Each object that it looks up is added to `references`. */
  #contextOf({ readable, blank }: FieldsRead, references: Set<string>): Context {
    const { object, declared, settings, lookup } = this.#annotated;
    const tracked =
      <T>(kind: string, get: (key: string) => T) =>
      (key: string) => {
        references.add(`${kind} ${key}`);
        return get(key);
      };
    return {
      ingress: object,
      settings,
      asked: lookup.asked ?? strictPolicy,
      given: (name) => readable.has(name),
      blank: (name) => blank.has(name),
      declares: (variable) => declared.has(variable),
      foreign: lookup.foreign ?? byOperator(settings),
      secret: tracked("Secret", lookup.secret),
      configMap: tracked("ConfigMap", lookup.configMap),
      service: tracked("Service", lookup.service),
    };
  }
}

const defaults = new WeakMap<Settings, Map<string, unknown>>();

/** Returns the value of a feature without annotations, which depends on the Settings alone. */
export function defaultOf(feature: AnyFeature, settings: Settings): unknown {
  const { name } = feature;
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

/**
 * Reads the text by its kind. If only the quotes around the text are wrong, the sentence says
 * so.
 */
function readQuoted(kind: Kind<unknown>, text: string): Read<unknown> {
  const result = readValue(kind, text);
  const bare = result.ok ? undefined : /^(["'])(.+)\1$/s.exec(text)?.[2];
  if (result.ok || bare === undefined || !readValue(kind, bare).ok) return result;
  return { ...result, why: `${shown(text)} has quotes inside the value; write ${bare} in one pair of quotes` };
}

/**
 * Returns the key that counts for a field, and its text: an alias counts if the key is absent or
 * empty.
 */
function textOfField(declared: Field<unknown>, own: ReadonlyMap<string, string>): [string, string | undefined] {
  const keys = [declared.key, ...(declared.aliases ?? [])];
  const deciding = keys.find((key) => (own.get(key) ?? "") !== "") ?? keys.find((key) => own.has(key)) ?? declared.key;
  return [deciding, own.get(deciding)];
}

function byOperator({ allowCrossNamespaceResources }: Settings): Context["foreign"] {
  return (kind, key) =>
    allowCrossNamespaceResources
      ? undefined
      : `${kind} ${key} is in another namespace, and allow-cross-namespace-resources is off`;
}

function mapOf<K extends object, V>(maps: WeakMap<K, Map<string, V>>, key: K): Map<string, V> {
  let map = maps.get(key);
  if (map === undefined) {
    map = new Map();
    maps.set(key, map);
  }
  return map;
}
