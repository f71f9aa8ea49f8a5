/**
 * Reads the data of the controller's ConfigMap by the declarations. Letter case does not matter in
 * keys. An unreadable value leaves the key's previous value in force, so a typo in a live cluster
 * changes nothing.
 */
import { bugWords, guarded } from "../../base/guarded.ts";
import { type Kind, longestText, no, type Read, readValue, unfilled, written } from "../kinds/kind.ts";
import { isKnownVariable, needsGeoip2, variablesIn, withoutGeoip2 } from "../kinds/variables.ts";
import { meaningOf } from "../kinds/vocabulary/places-of-words.ts";
import type { ObjectName, Problem } from "../model/problem.ts";
import type { Setting } from "./declare.ts";
import { isOn } from "./on.ts";
import { defaultSettings, type Settings, settingList } from "./registry.ts";
import { setByPaths } from "./set-by-paths.ts";

export interface SettingsRead {
  readonly settings: Settings;
  readonly problems: readonly Problem[];
  /**
   * Texts that replace unreadable ones, by key. The caller passes them in again, and keeps them
   * over a restart.
   */
  readonly kept: Readonly<Record<string, string>>;
}

type Texts = Readonly<Record<string, string>>;

const byKey = new Map(settingList.map(([name, one]) => [one.key, [name, one] as const]));

/** A readable text that nginx refused. */
export interface RefusedText {
  readonly version: string;
  readonly why: string;
  /** Whether the search for the cause still runs, so that nothing is reported yet. */
  readonly suspected?: true;
}

/**
 * Reads the settings. `object` is the ConfigMap for the Problems. `previous` has the texts that
 * were in force, by key, and `refused` those that nginx refused.
 */
export function readSettings(
  data: Texts,
  object: ObjectName,
  previous: Texts,
  refused: ReadonlyMap<string, RefusedText> = new Map(),
): SettingsRead {
  const { texts, problems } = textsOf(object, data);
  const kept: Record<string, string> = {};
  const values: Record<string, unknown> = { ...defaultSettings };
  const names = { own: ownVariables([...texts, ...Object.entries(previous)]), geoip2: hasGeoip2(texts) };
  for (const [key, text] of texts) {
    const [name, setting] = byKey.get(key)!;
    if (setting.noEffect !== undefined) {
      problems.push({ kind: "setting-useless", object, key, why: setting.noEffect });
      continue;
    }
    const refusal = refused.get(key);
    const isRefused = refusal?.version === text;
    const read = isRefused ? no(`nginx refused it: ${refusal.why}`) : readText(setting, text, names);
    const last = previous[key] === refusal?.version ? undefined : previous[key];
    const used = read.ok ? { value: read.value, shown: "", text: undefined } : insteadOf(setting, last, names);
    values[name] = used.value;
    if (used.text !== undefined) kept[key] = used.text;
    const why = read.ok ? read.besides : read.why;
    if (why === undefined || (isRefused && refusal.suspected)) continue;
    problems.push({
      kind: "setting-unreadable",
      object,
      key,
      why,
      kept: used.shown || shownValue(setting.kind, used.value),
    });
  }
  const read = values as unknown as Settings;
  const idleLines = Object.entries({ "http-snippet": read.httpSnippet, "server-snippet": read.serverSnippet }).flatMap(
    ([key, text]) => setByPaths(text, "key").map((why) => ({ kind: "setting-doubtful", object, key, why }) as const),
  );
  return { settings: read, problems: [...problems, ...idle(object, texts.keys(), read), ...idleLines], kept };
}

/**
 * Returns the variables in the operator's snippets, because one of these may declare a variable of
 * a log format. A text that is too long for a snippet is skipped, so that its length costs nothing.
 */
function ownVariables(texts: readonly (readonly [string, string])[]): ReadonlySet<string> {
  const snippets = texts.filter(([key, text]) => key.endsWith("-snippet") && text.length <= longestText);
  return new Set(snippets.flatMap(([, text]) => variablesIn(text)));
}

/** An unreadable text may leave it on. */
function hasGeoip2(texts: ReadonlyMap<string, string>): boolean {
  const [, { kind }] = byKey.get("use-geoip2")!;
  const read = readValue(kind, texts.get("use-geoip2") ?? "false");
  return !read.ok || read.value === true;
}

/** The variables that values may name beside those that always exist. */
interface Names {
  readonly own: ReadonlySet<string>;
  readonly geoip2: boolean;
}

/** Returns why a key of an earlier version of ingress-nginx has no effect any more. */
export const endingOf = (key: string): string | undefined => endings.find(([keys]) => keys.test(key))?.[1];

/** Keys of earlier versions of ingress-nginx, which many ConfigMaps still have. */
export const endings: readonly (readonly [RegExp, string])[] = [
  [
    /^(enable-opentracing$|opentracing-|jaeger-|zipkin-|datadog-)/,
    "OpenTracing was removed from ingress-nginx; use enable-opentelemetry",
  ],
  [
    /^global-rate-limit-/,
    "rate limits over all replicas were removed from ingress-nginx; the annotations limit-rps and limit-rpm count in each",
  ],
  [/^plugins$/, "Lua plugins were removed from ingress-nginx; a snippet can call Lua files of a volume"],
  [/^(enable-vts-status$|vts-)/, "the VTS module was removed from ingress-nginx; the metrics say the same"],
];

/**
 * Returns the text of each known key in any letter case. The exact spelling counts before others.
 */
function textsOf(object: ObjectName, data: Texts) {
  const texts = new Map<string, string>();
  const problems: Problem[] = [];
  const spellings = Object.keys(data).sort((a, b) => Number(byKey.has(b)) - Number(byKey.has(a)) || (a < b ? -1 : 1));
  for (const spelling of spellings) {
    const key = spelling.toLowerCase();
    const ended = byKey.has(key) ? undefined : endingOf(key);
    if (ended !== undefined) {
      problems.push({ kind: "setting-useless", object, key: spelling, why: ended });
    } else if (!byKey.has(key)) {
      problems.push({
        kind: "setting-unknown",
        object,
        key: spelling,
        ...meaningOf(spelling, "setting", [...byKey.keys()]),
      });
    } else if (texts.has(key)) {
      problems.push({
        kind: "setting-useless",
        object,
        key: spelling,
        why: `${key} is there in another spelling, too`,
      });
    } else {
      texts.set(key, data[spelling] ?? "");
    }
  }
  return { texts, problems };
}

/**
 * Reads a text. A key on which Sluice fails counts as unreadable, so that the last good text stays
 * in force.
 */
function readText(setting: Setting<unknown>, text: string, names: Names): Read<unknown> {
  return guarded<Read<unknown>>(
    () => readUnguarded(setting, text, names),
    (bug) => no(`Sluice failed on it (${bugWords(bug)}), which is a bug in Sluice: please report it`),
  );
}

function readUnguarded(setting: Setting<unknown>, text: string, { own, geoip2 }: Names): Read<unknown> {
  const read = readValue(setting.kind, text);
  const where = setting.variables;
  if (!read.ok || where === undefined) return read;
  const used = variablesIn(written(setting.kind, read.value));
  const lacking = geoip2 ? undefined : used.find((name) => !own.has(name) && needsGeoip2(name));
  if (lacking !== undefined) return no(withoutGeoip2(lacking));
  const stranger = used.find((name) => !own.has(name) && !isKnownVariable(name, where));
  if (stranger === undefined) return read;
  const hint = unfilled(text);
  const why = `neither nginx nor a snippet of this ConfigMap declares $${stranger}`;
  return no(hint === undefined ? why : `${why}; ${hint}`);
}

/**
 * Returns the replacement of an unreadable text: the last good one, or else the default, unless
 * that would open something that should be closed.
 */
function insteadOf(setting: Setting<unknown>, last: string | undefined, names: Names) {
  const good = last === undefined ? undefined : readText(setting, last, names);
  if (good?.ok === true) {
    return { value: good.value, shown: `the last good value (${shownValue(setting.kind, good.value)})`, text: last };
  }
  if ("closed" in setting) return { value: setting.closed, shown: "", text: undefined };
  return {
    value: setting.default,
    shown: `the default (${shownValue(setting.kind, setting.default)})`,
    text: undefined,
  };
}

function shownValue<T>(kind: Kind<T>, value: T): string {
  const text = written(kind, value);
  if (text === "") return "empty";
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

/** Returns a Problem for each given key that depends on another key which is off. */
function idle(object: ObjectName, keys: Iterable<string>, read: Settings): Problem[] {
  return [...keys].flatMap((key) => {
    const [name, { onlyWith, default: usual, kind }] = byKey.get(key)!;
    if (onlyWith === undefined || written(kind, read[name]) === written(kind, usual)) return [];
    if (onlyWith.some((other) => isOn(read[byKey.get(other)![0]]))) return [];
    return [{ kind: "setting-useless", object, key, why: `it needs ${onlyWith.join(" or ")}` } as const];
  });
}
