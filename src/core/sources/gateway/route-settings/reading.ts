/**
 * Reads one object of the kind RouteSettings by itself. Its values are read by the declarations of
 * annotations. An unreadable value keeps the default, as on an Ingress. A guard that cannot be read
 * or served closes the rules to which the object applies.
 */
import { didYouMean } from "../../../../base/did-you-mean.ts";
import {
  annotatedForm,
  hasUnknownTargets,
  type RouteSettings,
  settingsPrefix,
  sluiceGroup,
  specOf,
  targetsKey,
  textOfValue,
} from "../../../model/gateway/route-settings.ts";
import { noGrant } from "../../../model/missing.ts";
import type { ObjectName, Problem } from "../../../model/problem.ts";
import type { Snapshot } from "../../../model/snapshot.ts";
import type { Lookup } from "../../../policies/feature-reader.ts";
import { featureOf, isForListeners, mayGuard, whyNotOnRoutes } from "../../../policies/on-routes.ts";
import { readAnnotations } from "../../../policies/read.ts";
import type { FeatureValues } from "../../../policies/registry.ts";
import type { Settings } from "../../../settings/registry.ts";
import { lackingProblems } from "../../../table/lacking.ts";
import type { TranslateOptions } from "../../../table/options.ts";
import { closingProblem, unknownIn } from "../../../table/unknown-fields.ts";
import { idleBeside, missingBeside, type Refusals } from "../../ingress/beside.ts";
import type { Grants } from "../grants.ts";

/**
 * Finds keys that have no effect without another key, such as `auth-signin` without `auth-url`. The
 * other key may be in RouteSettings of another level, so these keys are only reported. Guards whose
 * values are either all in one object, or not in it at all.
 */
const whole: ReadonlySet<keyof FeatureValues | undefined> = new Set([
  "basicAuth",
  "clientCertificate",
  "externalAuth",
] as const);

/**
 * Returns one Problem for each such key. `texts` are the texts of one object, and `reading` is what
 * was read from them.
 */
function idleKeys(
  texts: ReadonlyMap<string, string>,
  reading: Refusals,
  object: ObjectName,
  settings: Settings,
): readonly Problem[] {
  return [...texts].flatMap(([key, text]): Problem[] => {
    const why = text === "" ? undefined : whyIdle(key, texts, reading, settings);
    if (why === undefined) return [];
    const done = whole.has(featureOf(key))
      ? "it is ignored, because what belongs to a guard stands in the object of the guard"
      : "it counts where RouteSettings of another level have what it needs";
    return [{ object, kind: "value-useless", field: `spec.${key}`, why: `has no effect by itself: ${why}`, done }];
  });
}

function whyIdle(
  key: string,
  texts: ReadonlyMap<string, string>,
  reading: Refusals,
  settings: Settings,
): string | undefined {
  const missing = missingBeside(key, (other) => (texts.get(other) ?? "") !== "", reading.values, settings);
  if (missing !== undefined) return `it needs ${missing}`;
  return idleBeside(key, reading);
}

export interface SettingsReading {
  /** `namespace/name`. */
  readonly key: string;
  readonly object: ObjectName & { readonly namespace: string };
  /** The form that is in force. */
  readonly settings: RouteSettings;
  /** Readable texts, without those that cannot be served. */
  readonly texts: ReadonlyMap<string, string>;
  /** The values of these texts alone. */
  readonly values: FeatureValues;
  /** The reason why the rules to which they apply answer 503; undefined if they do not. */
  readonly closed: Problem | undefined;
  readonly problems: readonly Problem[];
  /** The Problems that may lie in another object. */
  readonly elsewhere: readonly Problem[];
  /**
   * Objects that were looked up, as `Kind namespace/name`, and namespaces whose grants count, as
   * `grants namespace`.
   */
  readonly references: readonly string[];
  /**
   * The functions that look up other objects, for reading the texts together with those of other
   * RouteSettings.
   */
  readonly lookup: Lookup;
  /** Their reading for routes and rules; absent if it is the same as for listeners. */
  readonly forRules?: SettingsReading;
}

export interface SettingsWorld {
  readonly snapshot: Pick<Snapshot, "secrets" | "configMaps" | "services">;
  /** The settings that hold for routes. */
  readonly settings: Settings;
  readonly options: Pick<TranslateOptions, "annotationValidation" | "asked" | "lacks">;
  readonly grants: Pick<Grants, "permits">;
}

/** Returns the characters of all values but snippets, which are in no record. */
export function lengthOf(readings: readonly SettingsReading[]): number {
  const texts = readings.flatMap((one) => [...one.texts]).filter(([key]) => !key.endsWith("-snippet"));
  return texts.reduce((sum, [, text]) => sum + text.length, 0);
}

/**
 * The most characters of all values together: nginx.conf has the text of each combination of
 * settings.
 */
const mostText = 128 * 1024;

export function readSettings(settings: RouteSettings, world: SettingsWorld): SettingsReading {
  const reading = readFor("listeners", settings, world);
  if (![...reading.texts.keys()].some(isForListeners)) return reading;
  return { ...reading, forRules: readFor("rules", settings, world) };
}

type Place = "listeners" | "rules";

function readFor(place: Place, settings: RouteSettings, world: SettingsWorld): SettingsReading {
  const { namespace = "default", name } = settings.metadata;
  const object = { kind: "RouteSettings", namespace, name };
  const { served, refused } = sorted(settings, object, place);
  const granting = new Set<string>();
  const lookup = lookupFor(namespace, world, granting);
  const reading = readAnnotations(served, settingsPrefix, world.settings, lookup);
  const own = reading.problems.map((problem) => [problem, consequential(problem)] as const);
  const texts = new Map(Object.entries(served.metadata.annotations ?? {}).map(([key, text]) => [keyOf(key), text]));
  const problems = [
    ...refused,
    ...own.map(([, problem]) => problem),
    ...idleKeys(texts, reading, object, world.settings),
    ...snippetMistakes(reading.values, object),
    ...lackingProblems(served, settingsPrefix, world.options.lacks),
  ];
  return {
    key: `${namespace}/${name}`,
    object,
    settings,
    texts,
    values: reading.values,
    closed: problems.find(closes),
    problems,
    elsewhere: own.flatMap(([problem, reported]) => (reading.elsewhere.includes(problem) ? [reported] : [])),
    references: [...reading.references, ...[...granting].map((one) => `grants ${one}`)],
    lookup,
  };
}

const keyOf = (name: string): string => name.slice(settingsPrefix.length + 1);

/** Whether no request may pass because of the Problem. */
export function closes(problem: Problem): boolean {
  return "done" in problem && (problem.done === "deny" || problem.done === closed);
}

export const closed = "the rules that it is for answer 503";

/** Returns the object with the keys that can be served, and Problems of the others. */
function sorted(settings: RouteSettings, object: ObjectName, place: Place) {
  const form = annotatedForm(settings);
  const annotations = { ...form.metadata.annotations };
  const refused: Problem[] = [];
  const report = (field: string, why: string, done: string) => {
    refused.push({ object, kind: "value-unusable", field, why, done });
  };
  const spec = specOf(settings);
  if (settings.spec !== spec && (settings.spec ?? undefined) !== undefined)
    report("spec", "is not a mapping of keys and values, and may hold a guard", closed);
  if (hasUnknownTargets(settings))
    report(`spec.${targetsKey}`, "is not a list of targets that this version knows", "they have no effect there");
  const [unknown] = unknownIn(settings);
  if (unknown !== undefined) refused.push(closingProblem(object, unknown, closed));
  for (const [key, value] of Object.entries(spec)) {
    if (key === targetsKey || textOfValue(value) !== undefined) continue;
    const hides = featureOf(key) === undefined && (mayGuard(key) || mayHoldGuard(value));
    const why = `is not text, a number, true or false${hides ? ", and may hold a guard" : ""}`;
    report(`spec.${key}`, why, hides || mayGuard(key) ? closed : ignored);
  }
  for (const [name, text] of Object.entries(annotations)) {
    const why = whyNotOnRoutes(keyOf(name));
    if (why === undefined || (place === "listeners" && isForListeners(keyOf(name)))) continue;
    delete annotations[name];
    // An empty text has no effect.
    if (text !== "")
      report(`spec.${keyOf(name)}`, `is not served for routes: ${why}`, mayGuard(keyOf(name)) ? closed : ignored);
  }
  const length = Object.values(annotations).reduce((sum, text) => sum + text.length, 0);
  if (length <= mostText) return { served: { ...form, metadata: { ...form.metadata, annotations } }, refused };
  report("spec", `has ${length} characters in its values, and ${mostText} are the most`, closed);
  return { served: { ...form, metadata: { ...form.metadata, annotations: {} } }, refused };
}

const ignored = "it is ignored";

/**
 * Whether a structure, which a newer version may have written, has the name of a guard inside. One
 * that is too deep to look through may have it.
 */
function mayHoldGuard(value: unknown, depth = 0): boolean {
  if (typeof value !== "object" || value === null) return typeof value === "string" && mayGuard(value);
  if (depth > 20) return true;
  return Object.entries(value).some(([key, inner]) => mayGuard(key) || mayHoldGuard(inner, depth + 1));
}

/**
 * Returns the Problem with its consequence for RouteSettings. A version is never refused as a
 * whole: a bad guard closes the rules, and every other bad value keeps its default.
 */
function consequential(problem: Problem): Problem {
  if (problem.kind === "annotation-unknown" && mayGuard(problem.key)) {
    const { object, key, nearest } = problem;
    const what = `is not a key that this version knows${didYouMean(nearest)}, and`;
    return { object, kind: "guard-unknown", field: `spec.${key}`, what, done: closed };
  }
  if (problem.kind !== "annotation-unreadable" || problem.done !== "reject") return problem;
  return { ...problem, done: mayGuard(problem.key) ? "deny" : "default" };
}

/** Returns Problems of directives in a snippet that need a location with a path. */
function snippetMistakes({ configurationSnippet }: FeatureValues, object: ObjectName): Problem[] {
  const { needsPath, namesGroups } = configurationSnippet;
  if (!needsPath && !namesGroups) return [];
  const what = needsPath ? "a location, an alias or internal" : "a group of the path";
  const why = `has ${what} in it, which means something only under the path of an Ingress`;
  return [{ object, kind: "value-unusable", field: "spec.configuration-snippet", why, done: closed }];
}

/**
 * Returns functions that look up objects. An object in another namespace needs a grant of that
 * namespace. Namespaces whose grants were checked are noted.
 */
function lookupFor(home: string, { snapshot, options, grants }: SettingsWorld, granting: Set<string>): Lookup {
  const foreign = (kind: string, key: string): string | undefined => {
    const [namespace = "", name = ""] = key.split("/");
    if (namespace === home) return undefined;
    granting.add(namespace);
    const from = { group: sluiceGroup, kind: "RouteSettings", namespace: home };
    if (grants.permits({ from, to: { group: "", kind, namespace, name } })) return undefined;
    return noGrant({ kind: "RouteSettings", namespace: home }, { kind, namespace, name });
  };
  const permitted =
    <T>(kind: string, find: (key: string) => T | undefined) =>
    (key: string) =>
      foreign(kind, key) === undefined ? find(key) : undefined;
  return {
    secret: permitted("Secret", (key) => snapshot.secrets.get(key)),
    configMap: permitted("ConfigMap", (key) => snapshot.configMaps.get(key)),
    // Services need no grant here, because a DNS name leads to a Service in any case.
    service: (key) => snapshot.services.get(key),
    validates: options.annotationValidation,
    asked: options.asked,
    foreign,
  };
}

/** Returns the features that have a key in the object. */
export function featuresGiven({ texts }: Pick<SettingsReading, "texts">): ReadonlySet<keyof FeatureValues> {
  return new Set([...texts.keys()].flatMap((key) => featureOf(key) ?? []));
}
