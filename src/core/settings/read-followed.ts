/**
 * Reads values that the settings name in other objects: the ConfigMaps of `add-headers` and
 * `proxy-set-headers`, and the Secret of `ssl-dh-param`. An edit there counts as an edit of the
 * settings. An unusable entry is left out with a Problem on its object; the others stay.
 */
import { readValue, shown } from "../kinds/kind.ts";
import { headerName } from "../kinds/names.ts";
import { framesMessages, reservedWhy } from "../kinds/reserved-headers.ts";
import {
  decodedMistake,
  isKnownVariable,
  needsGeoip2,
  variablesIn,
  variableText,
  withoutGeoip2,
} from "../kinds/variables.ts";
import { missing } from "../model/missing.ts";
import type { ConfigMap, Secret } from "../model/objects.ts";
import type { ObjectName, Problem } from "../model/problem.ts";
import { mistakeInDhParam } from "./dh-param.ts";
import type { Followed, FollowedHeader } from "./followed.ts";
import type { Settings } from "./registry.ts";

export interface Lookup {
  configMap(key: string): ConfigMap | undefined;
  secret(key: string): Secret | undefined;
}

export interface FollowedRead {
  readonly followed: Followed;
  readonly problems: readonly Problem[];
}

/** Returns the objects that the settings name, as `Kind namespace/name`. */
export function followedObjects({ addHeaders, proxySetHeaders, sslDhParam }: Settings): readonly string[] {
  return [
    ...[addHeaders, proxySetHeaders].flatMap((key) => (key === undefined ? [] : [`ConfigMap ${key}`])),
    ...(sslDhParam === undefined ? [] : [`Secret ${sslDhParam}`]),
  ];
}

/**
 * Reads everything that the settings name. `object` is the ConfigMap of the settings, which gets
 * the Problem of a missing object.
 */
export function followedOf(settings: Settings, object: ObjectName, lookup: Lookup): FollowedRead {
  const problems: Problem[] = [];
  const headers = (key: "add-headers" | "proxy-set-headers", reference: string | undefined): FollowedHeader[] => {
    if (reference === undefined) return [];
    const configMap = lookup.configMap(reference);
    if (configMap !== undefined) return headersOf(configMap, settings, problems);
    const mistake = missing("ConfigMap", reference);
    problems.push({ object, field: `data.${key}`, ...mistake, done: "no headers come from it" });
    return [];
  };
  const followed = {
    addHeaders: headers("add-headers", settings.addHeaders),
    proxySetHeaders: headers("proxy-set-headers", settings.proxySetHeaders),
    dhParam: dhParamOf(settings, object, lookup, problems),
  };
  return { followed, problems };
}

/**
 * Returns the entries of a ConfigMap as headers, sorted by name. An entry that cannot be a header
 * is left out, and `problems` gets a Problem.
 */
export function headersOf(
  configMap: ConfigMap,
  settings: Settings,
  problems: Problem[],
  declares: (variable: string) => boolean = () => false,
): FollowedHeader[] {
  const { namespace, name: ownName } = configMap.metadata;
  const object = { kind: "ConfigMap", ...(namespace === undefined ? {} : { namespace }), name: ownName };
  return Object.keys(configMap.data ?? {})
    .sort()
    .flatMap((name) => {
      const value = (configMap.data?.[name] ?? "").replace(/\r?\n$/, "");
      const why = mistakeIn(name, value, settings, declares);
      if (why === undefined) return [{ name, value }];
      problems.push({ kind: "value-unusable", object, field: `data.${name}`, why, done: "it is left out" });
      return [];
    });
}

function mistakeIn(
  name: string,
  value: string,
  settings: Settings,
  declares: (variable: string) => boolean,
): string | undefined {
  // All other characters of a ConfigMap's key are allowed in the name of a header.
  const named = readValue(headerName, name.replaceAll(".", "-"));
  if (!named.ok) return named.why;
  if (framesMessages(name)) return reservedWhy(name);
  if (value === "") return undefined;
  const text = readValue(variableText, value);
  if (!text.ok) return text.why;
  if (value.length > 3000) return `the value has ${value.length} characters; at most 3000 are taken`;
  const decoded = decodedMistake(value);
  if (decoded !== undefined) return decoded;
  const own = snippetVariables(settings);
  const undeclared = variablesIn(value).filter((variable) => !own.has(variable) && !declares(variable));
  const lacking = settings.useGeoip2 ? undefined : undeclared.find(needsGeoip2);
  if (lacking !== undefined) return withoutGeoip2(lacking);
  const stranger = undeclared.find((variable) => !isKnownVariable(variable, "http"));
  return stranger === undefined ? undefined : `${shown(value)} names $${stranger}, which nothing declares`;
}

/**
 * Returns the variables in the operator's snippets, because one of these may declare a variable of
 * a header.
 */
function snippetVariables({ httpSnippet, serverSnippet, locationSnippet }: Settings): ReadonlySet<string> {
  return new Set(variablesIn([httpSnippet, serverSnippet, locationSnippet].join("\n")));
}

function dhParamOf(
  { sslDhParam }: Settings,
  object: ObjectName,
  lookup: Lookup,
  problems: Problem[],
): string | undefined {
  if (sslDhParam === undefined) return undefined;
  const text = lookup.secret(sslDhParam)?.data?.["dhparam.pem"];
  const pem = text === undefined ? undefined : Buffer.from(text, "base64").toString("utf8");
  const why = pem === undefined ? "is missing or has no dhparam.pem" : mistakeInDhParam(pem);
  if (why === undefined) return pem;
  const problem = `Secret ${sslDhParam} ${why}`;
  problems.push({
    kind: "reference-unusable",
    object,
    field: "data.ssl-dh-param",
    why: problem,
    done: "nginx offers no DHE ciphers",
  });
  return undefined;
}
