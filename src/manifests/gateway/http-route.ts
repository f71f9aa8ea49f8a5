/**
 * The API server's rules for an HTTPRoute (Gateway API v1.6.3). Fields of its experimental channel
 * may have any value.
 */

import { shown } from "../../kinds/kind.ts";
import { mostMatches } from "../../model/gateway/limits.ts";
import { gatewayGroup } from "../../model/gateway/objects.ts";
import { anything, boolean, type Check, port, type Rule, record, text, whole, word, wrong } from "../check.ts";
import { metadata } from "../metadata.ts";
import { dnsSubdomain } from "../names.ts";
import { mirror } from "./mirror.ts";
import {
  alike,
  atMost,
  backendFields,
  both,
  distinct,
  distinctTexts,
  few,
  filled,
  hasPort,
  headerName,
  hostname,
  named,
  placed,
  sectionName,
} from "./names.ts";
import { externalAuth, retry, sessionPersistence, timeouts } from "./rule-fields.ts";
import { isMapping } from "../../model/mapping.ts";

const methods = ["GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH"];
const pathTypes = ["Exact", "PathPrefix", "RegularExpression"];

/**
 * Sequences that the definition keeps out of Exact and PathPrefix paths, because servers disagree
 * about them.
 */
const ambiguous = ["//", "/./", "/../", "%2f", "%2F", "#"];
const ambiguousEnds = ["/..", "/."];

const pathValue: Check = (value) => {
  const { type = "PathPrefix", value: given = "/" } = value as { readonly type?: string; readonly value?: string };
  if (type === "RegularExpression") return [];
  if (!given.startsWith("/")) return wrong(["value"], `${shown(given)} does not begin with /`);
  const part = ambiguous.find((one) => given.includes(one)) ?? ambiguousEnds.find((one) => given.endsWith(one));
  if (part !== undefined) return wrong(["value"], `${shown(given)} has ${part} in it`);
  const strange = /[^-A-Za-z0-9/._~!$&'()*+,;=:@%]|%(?![0-9a-fA-F]{2})/.exec(given)?.[0];
  return strange === undefined
    ? []
    : wrong(["value"], `${shown(given)} has ${shown(strange)} in it, which is to be written as %XX`);
};

export const valueMatch = (longest: number) =>
  record({ type: word("Exact", "RegularExpression"), name: text(headerName), value: text(filled, atMost(longest)) }, [
    "name",
    "value",
  ]);

const match = record({
  path: record({ type: word(...pathTypes), value: text(atMost(1_024)) }, [], pathValue),
  headers: both(few(valueMatch(4_096), 16), distinctNames("header")),
  queryParams: both(few(valueMatch(1_024), 16), distinctNames("query parameter")),
  method: word(...methods),
});

export function distinctNames(what: string): Check {
  return distinct(
    ({ name }) => String(name),
    (name) => `the ${what} ${name} is given twice`,
  );
}

const header = record({ name: text(headerName), value: text(filled, atMost(4_096)) }, ["name", "value"]);
const headerChanges = record({
  set: both(few(header, 16), distinctNames("header")),
  add: both(few(header, 16), distinctNames("header")),
  remove: distinctTexts(text(), 16),
});

const pathChange = record(
  {
    type: word("ReplaceFullPath", "ReplacePrefixMatch"),
    replaceFullPath: text(atMost(1_024)),
    replacePrefixMatch: text(atMost(1_024)),
  },
  ["type"],
  (value) => {
    const { type, replaceFullPath, replacePrefixMatch } = value as Record<string, unknown>;
    const [needed, other] =
      type === "ReplaceFullPath"
        ? ["replaceFullPath", "replacePrefixMatch"]
        : ["replacePrefixMatch", "replaceFullPath"];
    const given = { replaceFullPath, replacePrefixMatch } as Record<string, unknown>;
    if (given[needed] === undefined) return wrong([], `${needed} is missing, and type is ${type}`);
    return given[other] === undefined ? [] : wrong([other], `it must not stand beside type ${type}`);
  },
);

const exactHost: Rule = (value) => (value.startsWith("*") ? `${shown(value)} has a * in it` : hostname(value));

const origin: Rule = (value) =>
  /^\*$|^https?:\/\/(((\*\.)?([a-zA-Z0-9-]+\.)*[a-zA-Z0-9-]+|\*)(:[0-9]{1,5})?)$/.test(value)
    ? undefined
    : `${shown(value)} is not an origin such as https://shop.example`;

/** The definition's rule about `*` in lists of CORS. */
const starAlone: Check = (value) => {
  const all = value as readonly string[];
  return all.length > 1 && all.includes("*") ? wrong([], "* stands beside others, and it must stand alone") : [];
};

const cors = record({
  allowOrigins: both(distinctTexts(text(origin), 64), starAlone),
  allowCredentials: boolean,
  allowMethods: both(distinctTexts(word(...methods, "*"), 9), starAlone),
  allowHeaders: both(distinctTexts(text(headerName), 64), starAlone),
  exposeHeaders: distinctTexts(text(headerName), 64),
  maxAge: whole(1, 2_147_483_647),
});

/** Types of filters that HTTPRoutes and GRPCRoutes have, each with its field. */
export const sharedFilterFields = {
  RequestHeaderModifier: "requestHeaderModifier",
  ResponseHeaderModifier: "responseHeaderModifier",
  RequestMirror: "requestMirror",
} as const;

/** The rules for the fields of these filters, and of ExtensionRef. */
export const sharedFilters = {
  requestHeaderModifier: headerChanges,
  responseHeaderModifier: headerChanges,
  requestMirror: mirror,
  extensionRef: record(named, ["group", "kind", "name"]),
};

const filterFields: Readonly<Record<string, string>> = {
  ...sharedFilterFields,
  RequestRedirect: "requestRedirect",
  URLRewrite: "urlRewrite",
  CORS: "cors",
  ExternalAuth: "externalAuth",
  ExtensionRef: "extensionRef",
};

const filter = record(
  {
    type: word(...Object.keys(filterFields)),
    ...sharedFilters,
    requestRedirect: record({
      scheme: word("http", "https"),
      hostname: text(exactHost),
      path: pathChange,
      port,
      statusCode: (value) =>
        [301, 302, 303, 307, 308].includes(value as number)
          ? []
          : wrong([], `${JSON.stringify(value)} is not one of 301, 302, 303, 307, 308`),
    }),
    urlRewrite: record({ hostname: text(exactHost), path: pathChange }),
    cors,
    externalAuth,
  },
  ["type"],
  fieldOfType(filterFields),
);

/** Checks that a filter has the field of its type and none of another type. */
export function fieldOfType(fieldOf: Readonly<Record<string, string>>): Check {
  return (value) => {
    const { type, ...fields } = value as Record<string, unknown>;
    const needed = fieldOf[type as string]!;
    if (!Object.hasOwn(fields, needed)) return wrong([], `${needed} is missing, and type is ${type}`);
    const other = Object.keys(fields).find((name) => name !== needed && (fields[name] ?? undefined) !== undefined);
    return other === undefined ? [] : wrong([other], `it must not stand beside type ${type}`);
  };
}

/** Filters that may occur several times. */
const repeatable = ["RequestMirror", "ExtensionRef", "ExternalAuth"];

export const distinctTypes = distinct(
  ({ type }) => (repeatable.includes(type as string) ? undefined : String(type)),
  (type) => `${type} is given twice`,
);

const filters = both(few(filter, 16), distinctTypes, (value) => {
  const types = (value as readonly { readonly type: string }[]).map(({ type }) => type);
  const both = types.includes("RequestRedirect") && types.includes("URLRewrite");
  return both ? wrong([], "RequestRedirect and URLRewrite exclude each other") : [];
});
interface Filtered {
  readonly filters?: readonly Record<string, unknown>[];
}

function replacesPrefix({ filters: all = [] }: Filtered): boolean {
  return all.some(({ requestRedirect, urlRewrite }) =>
    [requestRedirect, urlRewrite].some(
      (one) => isMapping(one) && isMapping(one.path) && one.path.type === "ReplacePrefixMatch",
    ),
  );
}

const ruleRules: Check = (value) => {
  const rule = value as Filtered & {
    readonly matches?: readonly { readonly path?: { readonly type?: string } }[];
    readonly backendRefs?: readonly Filtered[];
  };
  const redirects = (rule.filters ?? []).some(({ type }) => type === "RequestRedirect");
  if (redirects && (rule.backendRefs ?? []).length > 0) {
    return wrong(["backendRefs"], "it must not stand beside the filter RequestRedirect");
  }
  if (![rule, ...(rule.backendRefs ?? [])].some(replacesPrefix)) return [];
  const matches = rule.matches ?? [{}];
  const isOne = matches.length === 1 && (matches[0]?.path?.type ?? "PathPrefix") === "PathPrefix";
  return isOne ? [] : wrong(["matches"], "there must be one, of type PathPrefix, beside replacePrefixMatch");
};

const rule = record(
  {
    name: sectionName,
    matches: few(match, 64),
    filters,
    backendRefs: few(record({ ...backendFields, filters }, ["name"], hasPort), 16),
    timeouts,
    retry,
    sessionPersistence,
  },
  [],
  ruleRules,
);

/** Limits the matches of all rules together. A rule without matches counts as `ofNone`. */
export function fewMatches(ofNone: number): Check {
  return (value) => {
    const rules = value as readonly { readonly matches?: readonly unknown[] }[];
    const count = rules.reduce((sum, { matches }) => sum + (matches?.length ?? ofNone), 0);
    return count > mostMatches ? wrong([], `they have ${count} matches together, and ${mostMatches} are the most`) : [];
  };
}

export const distinctRules = distinct(
  ({ name }) => (name === undefined || name === null ? undefined : String(name)),
  (name) => `the name ${name} is given twice`,
);

const rules = both(few(rule, 16, 1), fewMatches(1), distinctRules);

const parentOf = ({ group = gatewayGroup, kind = "Gateway", namespace, name }: Record<string, unknown>): string =>
  JSON.stringify([group, kind, namespace ?? "", name]);

/** Two references to the same parent must name different parts of it. */
export const parents = both(
  few(record({ ...placed, sectionName, port }, ["name"]), 32),
  alike(parentOf, ["sectionName", "port"], "parent"),
  distinct(
    (one) => JSON.stringify([parentOf(one), one.sectionName ?? "", one.port ?? 0]),
    () => "another one names the same parent, without another sectionName or port",
  ),
);

export const httpRoute = record(
  {
    apiVersion: anything,
    kind: anything,
    metadata: metadata(dnsSubdomain),
    spec: record({
      parentRefs: parents,
      hostnames: few(text(hostname), 16),
      rules,
      useDefaultGateways: word("All", "None"),
    }),
    status: anything,
  },
  ["metadata", "spec"],
);
