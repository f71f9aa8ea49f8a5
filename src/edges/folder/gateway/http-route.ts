/**
 * The API server's rules for an HTTPRoute (Gateway API v1.6.3). Fields of its experimental channel
 * may have any value.
 */
import { shown } from "../../../core/kinds/kind.ts";
import { isMapping } from "../../../core/model/mapping.ts";
import { boolean, type Check, port, type Rule, record, text, whole, word, wrong } from "../check.ts";
import { ambiguousPart } from "../names.ts";
import { distinctTypes, fieldOfType, sharedFilterFields, sharedFilters } from "./filters.ts";
import {
  atMost,
  backendFields,
  both,
  distinctTexts,
  few,
  hasPort,
  headerName,
  hostname,
  sectionName,
} from "./names.ts";
import { distinctNames, distinctRules, fewMatches, fieldsOfRoutes, routeWith, valueMatch } from "./route.ts";
import { externalAuth, retry, sessionPersistence, timeouts } from "./rule-fields.ts";

const methods = ["GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH"];
const pathTypes = ["Exact", "PathPrefix", "RegularExpression"];

const pathValue: Check = (value) => {
  const { type = "PathPrefix", value: given = "/" } = value as { readonly type?: string; readonly value?: string };
  if (type === "RegularExpression") return [];
  if (!given.startsWith("/")) return wrong(["value"], `${shown(given)} does not begin with /`);
  const part = ambiguousPart(given) ?? (given.includes("#") ? "#" : undefined);
  if (part !== undefined) return wrong(["value"], `${shown(given)} has ${part} in it`);
  const strange = /[^-A-Za-z0-9/._~!$&'()*+,;=:@%]|%(?![0-9a-fA-F]{2})/.exec(given)?.[0];
  return strange === undefined
    ? []
    : wrong(["value"], `${shown(given)} has ${shown(strange)} in it, which is to be written as %XX`);
};

const match = record({
  path: record({ type: word(...pathTypes), value: text(atMost(1_024)) }, [], pathValue),
  headers: both(few(valueMatch(4_096), 16), distinctNames("header")),
  queryParams: both(few(valueMatch(1_024), 16), distinctNames("query parameter")),
  method: word(...methods),
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

const rules = both(few(rule, 16, 1), fewMatches(1), distinctRules);

export const httpRoute = routeWith(record({ ...fieldsOfRoutes, hostnames: few(text(hostname), 16), rules }));
