/** The rules of the Gateway API that its definitions of routes and filters state in CEL. */
import { durationMs } from "../../../core/kinds/gateway/duration.ts";
import { shown } from "../../../core/kinds/kind.ts";
import { gatewayGroup, type SessionPersistence } from "../../../core/model/gateway/objects.ts";
import { isMapping, type Mapping } from "../../../core/model/mapping.ts";
import { both, type Check, fine, isAbsent, type Rule, text, wrong } from "../../../core/schema/findings.ts";
import { fewMatches } from "../../../core/schema/matches.ts";
import { distinctBy, type Rules } from "../../../core/schema/schema.ts";
import { alike, hostname } from "./gateway.ts";
import { ambiguousPart } from "./names.ts";

/** Requires the field of the value's type, and none of another type. */
function fieldOfType(word: string, fieldOf: Readonly<Record<string, string>>): Check {
  return (value) => {
    const fields = value as Mapping;
    const type = fields[word] as string;
    const { [type]: needed = "" } = fieldOf;
    if (isAbsent(fields[needed])) return wrong([], `${needed} is missing, and ${word} is ${type}`);
    const other = Object.values(fieldOf).find((name) => name !== needed && !isAbsent(fields[name]));
    return other === undefined ? fine : wrong([other], `it must not stand beside ${word} ${type}`);
  };
}

const filter = fieldOfType("type", {
  RequestHeaderModifier: "requestHeaderModifier",
  ResponseHeaderModifier: "responseHeaderModifier",
  RequestMirror: "requestMirror",
  RequestRedirect: "requestRedirect",
  URLRewrite: "urlRewrite",
  CORS: "cors",
  ExternalAuth: "externalAuth",
  ExtensionRef: "extensionRef",
});

const pathChange = fieldOfType("type", {
  ReplaceFullPath: "replaceFullPath",
  ReplacePrefixMatch: "replacePrefixMatch",
});

/** Filters that may occur several times. */
const repeatable = ["RequestMirror", "ExtensionRef", "ExternalAuth"];

const distinctTypes = distinctBy<{ readonly type: string }>(
  ({ type }) => (repeatable.includes(type) ? undefined : type),
  (type) => `${type} is given twice`,
);

const filters: Check = (value) => {
  const types = (value as readonly { readonly type: string }[]).map(({ type }) => type);
  const isBoth = types.includes("RequestRedirect") && types.includes("URLRewrite");
  return isBoth ? wrong([], "RequestRedirect and URLRewrite exclude each other") : distinctTypes(value);
};

const parentOf = ({ group = gatewayGroup, kind = "Gateway", namespace, name }: Mapping): string =>
  JSON.stringify([group, kind, namespace ?? "", name]);

const alikeParents = alike(parentOf, ["sectionName", "port"], "parent");
const distinctParents = distinctBy<Mapping>(
  (one) => JSON.stringify([parentOf(one), one.sectionName ?? "", one.port ?? 0]),
  () => "another one names the same parent, without another sectionName or port",
);

/** Two references to the same parent must name different parts of it. */
const parents: Check = (value) => both(alikeParents(value), distinctParents(value));

const backend: Check = (value) => {
  const { group = "", kind = "Service", port } = value as Mapping;
  const isService = group === "" && kind === "Service";
  return isService && isAbsent(port) ? wrong([], "port is missing, which a Service needs") : fine;
};

const distinctNames = distinctBy<{ readonly name?: string }>(
  ({ name }) => name,
  (name) => `the name ${name} is given twice`,
);

const path: Check = (value) => {
  const { type = "PathPrefix", value: given = "/" } = value as { readonly type?: string; readonly value?: string };
  if (type === "RegularExpression") return fine;
  if (!given.startsWith("/")) return wrong(["value"], `${shown(given)} does not begin with /`);
  const part = ambiguousPart(given) ?? (given.includes("#") ? "#" : undefined);
  if (part !== undefined) return wrong(["value"], `${shown(given)} has ${part} in it`);
  const strange = /[^-A-Za-z0-9/._~!$&'()*+,;=:@%]|%(?![0-9a-fA-F]{2})/.exec(given)?.[0];
  return strange === undefined
    ? fine
    : wrong(["value"], `${shown(given)} has ${shown(strange)} in it, which is to be written as %XX`);
};

const serviceName = /^\.?[a-z_][a-z_0-9]*(\.[a-z_][a-z_0-9]*)*$/i;
const methodName = /^[A-Za-z_][A-Za-z_0-9]*$/;

const method: Check = (value) => {
  const { type = "Exact", service, method } = value as Readonly<Record<string, string | undefined>>;
  if (service === undefined && method === undefined) return wrong([], "service and method are both missing");
  if (type !== "Exact") return fine;
  if (service !== undefined && !serviceName.test(service))
    return wrong(["service"], `${shown(service)} is not the name of a service such as shop.v1.Items`);
  return method === undefined || methodName.test(method)
    ? fine
    : wrong(["method"], `${shown(method)} is not the name of a method`);
};

interface Filtered {
  readonly filters?: readonly Mapping[];
}

function replacesPrefix({ filters: all = [] }: Filtered): boolean {
  return all.some(({ requestRedirect, urlRewrite }) =>
    [requestRedirect, urlRewrite].some(
      (one) => isMapping(one) && isMapping(one.path) && one.path.type === "ReplacePrefixMatch",
    ),
  );
}

const rule: Check = (value) => {
  const {
    filters: own = [],
    backendRefs = [],
    ...others
  } = value as Filtered & {
    readonly matches?: readonly { readonly path?: { readonly type?: string } }[];
    readonly backendRefs?: readonly Filtered[];
  };
  if (own.some(({ type }) => type === "RequestRedirect") && backendRefs.length > 0)
    return wrong(["backendRefs"], "it must not stand beside the filter RequestRedirect");
  if (![{ filters: own }, ...backendRefs].some(replacesPrefix)) return fine;
  const matches = others.matches ?? [{}];
  const isOne = matches.length === 1 && (matches[0]?.path?.type ?? "PathPrefix") === "PathPrefix";
  return isOne ? fine : wrong(["matches"], "there must be one, of type PathPrefix, beside replacePrefixMatch");
};

const timeouts: Check = (value) => {
  const { request = "0s", backendRequest = "0s" } = value as Readonly<Record<string, string>>;
  const [all = 0, each = 0] = [request, backendRequest].map(durationMs);
  return all > 0 && each > all ? wrong(["backendRequest"], "it is longer than request") : fine;
};

/** The fields of version 1.6 are `sessionName` and `cookieConfig`, of 1.7 `cookie` and `header`. */
const sessionPersistence: Check = (value) => {
  const { type = "Cookie", absoluteTimeout, cookieConfig, cookie } = value as SessionPersistence;
  for (const [field, of] of Object.entries({ cookieConfig: "Cookie", cookie: "Cookie", header: "Header" }))
    if ((value as Mapping)[field] !== undefined && type !== of)
      return wrong([field], `it must not stand beside type ${type}`);
  const isMissing = (cookie ?? cookieConfig)?.lifetimeType === "Permanent" && absoluteTimeout === undefined;
  return isMissing ? wrong([], "absoluteTimeout is missing, and lifetimeType is Permanent") : fine;
};

const mirror: Check = (value) => {
  const { percent, fraction: share } = value as Mapping;
  return isAbsent(percent) || isAbsent(share) ? fine : wrong(["percent"], "it must not stand beside fraction");
};

const fraction: Check = (value) => {
  const { numerator, denominator = 100 } = value as { readonly numerator: number; readonly denominator?: number };
  return numerator > denominator
    ? wrong(["numerator"], `${numerator} is more than the denominator ${denominator}`)
    : fine;
};

/** The rule about `*` in lists of CORS. */
const starAlone: Check = (value) => {
  const all = value as readonly string[];
  return all.length > 1 && all.includes("*") ? wrong([], "* stands beside others, and it must stand alone") : fine;
};

const exactHost: Rule = (value) => (value.startsWith("*") ? `${shown(value)} has a * in it` : hostname(value));

export const before: Rules = {
  "requestRedirect.hostname": text(exactHost),
  "urlRewrite.hostname": text(exactHost),
};

export const after: Rules = {
  parentRefs: parents,
  "HTTPRoute.spec.rules": fewMatches(1),
  "GRPCRoute.spec.rules": fewMatches(0),
  "spec.rules": distinctNames,
  "spec.rules[]": rule,
  "matches[].path": path,
  "matches[].method": (value) => (isMapping(value) ? method(value) : fine),
  backendRef: backend,
  "backendRefs[]": backend,
  "rules[].filters": filters,
  "backendRefs[].filters": filters,
  "filters[]": filter,
  "filters.requests[]": filter,
  "requestRedirect.path": pathChange,
  "urlRewrite.path": pathChange,
  requestMirror: mirror,
  "requestMirror.fraction": fraction,
  "cors.allowOrigins": starAlone,
  "cors.allowMethods": starAlone,
  "cors.allowHeaders": starAlone,
  externalAuth: fieldOfType("protocol", { HTTP: "http", GRPC: "grpc" }),
  timeouts,
  sessionPersistence,
};
