/**
 * A naive matcher, written from the comments of the Go types of the Gateway API v1.6.3 (package
 * `apis/v1`) by someone who had not read Sluice's own matchers. It tries every match of every
 * attached route, and the best one wins. Each criterion quotes the sentence that it follows. If
 * the specification leaves a choice to the implementation, it quotes docs/gateway-api.md instead.
 */
import type { ListenerSet } from "../../src/model/gateway/listener-set.ts";
import type {
  Gateway,
  GatewayListener,
  HTTPRoute,
  HTTPRouteMatch,
  ValueMatch,
} from "../../src/model/gateway/objects.ts";
import type { GRPCRoute, GRPCRouteMatch } from "../../src/model/gateway/routes.ts";

export interface AskedRequest {
  readonly gateway: string;
  readonly port: number;
  readonly host: string;
  readonly path: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly query: readonly (readonly [name: string, value: string])[];
}

export interface Objects {
  readonly gateways: readonly Gateway[];
  readonly sets: readonly ListenerSet[];
  readonly routes: readonly (HTTPRoute | GRPCRoute)[];
}

/** A match that the request satisfies, with what counts for its precedence. */
interface Claim {
  /** The hostnames of the route that match the host. */
  readonly hostnames: readonly string[];
  readonly path: { readonly type: string; readonly value: string };
  /** Characters of a service and a method that do not stand in the path. */
  readonly service: number;
  readonly call: number;
  readonly method: boolean;
  readonly headers: number;
  readonly params: number;
  readonly born: number;
  readonly backend: string;
}

const longest = (names: readonly string[]) => Math.max(0, ...names.map(({ length }) => length));
const isWildcard = (hostname: string) => hostname.startsWith("*.");

/**
 * The criteria of precedence, the most important first; the larger number wins. HTTPRouteSpec and
 * GRPCRouteSpec have the same first two.
 */
const criteria: readonly ((claim: Claim) => number)[] = [
  // HTTPRouteSpec.hostnames: "Characters in a matching non-wildcard hostname."
  ({ hostnames }) => longest(hostnames.filter((name) => !isWildcard(name))),
  // HTTPRouteSpec.hostnames: "Characters in a matching hostname."
  ({ hostnames }) => longest(hostnames),
  // HTTPRouteRule.matches: `"Exact" path match.`
  ({ path }) => Number(path.type === "Exact"),
  // HTTPRouteRule.matches: `"Prefix" path match with largest number of characters.`
  ({ path }) => (path.type === "PathPrefix" ? path.value.length : 0),
  // HTTPRouteRule.matches: "The precedence of RegularExpression path matches are
  // implementation-specific." docs/gateway-api.md: "after all prefixes, the longest first".
  ({ path }) => (path.type === "RegularExpression" ? path.value.length : 0),
  // GRPCRouteRule.matches: "Characters in a matching service."
  ({ service }) => service,
  // GRPCRouteRule.matches: "Characters in a matching method."
  ({ call }) => call,
  // HTTPRouteRule.matches: "Method match."
  ({ method }) => Number(method),
  // HTTPRouteRule.matches: "Largest number of header matches."
  ({ headers }) => headers,
  // HTTPRouteRule.matches: "Largest number of query param matches."
  ({ params }) => params,
  // HTTPRouteRule.matches: "The oldest Route based on creation timestamp."
  ({ born }) => -born,
];

/** Returns the first of the best claims. */
function best(claims: readonly Claim[]): Claim | undefined {
  return claims.reduce<Claim | undefined>((winner, claim) => {
    if (winner === undefined) return claim;
    const decisive = criteria.find((criterion) => criterion(claim) !== criterion(winner));
    return decisive !== undefined && decisive(claim) > decisive(winner) ? claim : winner;
  }, undefined);
}

/**
 * Listener.hostname: "When unspecified, all hostnames are matched." "Hostnames that are prefixed
 * with a wildcard label (`*.`) are interpreted as a suffix match."
 */
function covers(hostname: string, host: string): boolean {
  if (hostname === "") return true;
  return isWildcard(hostname) ? host.endsWith(hostname.slice(1)) : host === hostname;
}

/** Dialects are implementation-specific; here a pattern fits a whole value, with its case. */
const fits = (type: string | undefined, wanted: string, value: string) =>
  type === "RegularExpression" ? new RegExp(`^(?:${wanted})$`).test(value) : value === wanted;

interface Place {
  readonly owner: Gateway | ListenerSet;
  readonly listener: GatewayListener;
}

/** Returns the listeners of a Gateway and its sets that can be served. */
function placesOf(gateway: Gateway, sets: readonly ListenerSet[]): readonly Place[] {
  // ListenerNamespaces.from: "The default value None", "Same: Only ListenerSets in the same
  // namespace may be attached to this Gateway."
  const from = gateway.spec?.allowedListeners?.namespaces?.from ?? "None";
  const own = gateway.metadata.namespace;
  const isChild = ({ spec, metadata }: ListenerSet) =>
    spec?.parentRef?.name === gateway.metadata.name &&
    (spec.parentRef.namespace ?? metadata.namespace) === own &&
    (from === "All" || (from === "Same" && metadata.namespace === own));
  // ListenerSetSpec.listeners: `1. "parent" Gateway 2. ListenerSet ordered by creation time (oldest
  // first) 3. ListenerSet ordered alphabetically by "{namespace}/{name}".`
  const owners = [
    gateway,
    ...byName(sets)
      .filter(isChild)
      .sort((a, b) => bornAt(a) - bornAt(b)),
  ];
  const places = owners.flatMap((owner) => (owner.spec?.listeners ?? []).map((listener) => ({ owner, listener })));
  // GatewaySpec.listeners: "HTTP, HTTPS, TLS: Port, Hostname" must differ, and "MUST NOT pick one
  // conflicting Listener as the winner". Between objects the precedence above decides.
  return places.filter(({ owner, listener }) =>
    places.every(
      (other) =>
        other.listener === listener ||
        other.listener.port !== listener.port ||
        (other.listener.hostname ?? "") !== (listener.hostname ?? "") ||
        owners.indexOf(other.owner) > owners.indexOf(owner),
    ),
  );
}

interface Named {
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly creationTimestamp?: string };
}

const bornAt = ({ metadata }: Named) => Date.parse(metadata.creationTimestamp ?? "");

/** HTTPRouteRule.matches: `appearing first in alphabetical order by "{namespace}/{name}"`. */
function byName<T extends Named>(objects: readonly T[]): T[] {
  const name = ({ metadata }: Named) => `${metadata.namespace}/${metadata.name}`;
  return [...objects].sort((a, b) => (name(a) < name(b) ? -1 : 1));
}

function isAttached({ metadata, spec }: HTTPRoute | GRPCRoute, { owner, listener }: Place): boolean {
  // RouteNamespaces.from: "All: Routes in all namespaces", "Same: Only Routes in the same namespace
  // may be used by this Gateway."
  const from = listener.allowedRoutes?.namespaces?.from ?? "Same";
  if (from !== "All" && !(from === "Same" && metadata.namespace === owner.metadata.namespace)) return false;
  return (spec?.parentRefs ?? []).some(
    (parent) =>
      (parent.kind ?? "Gateway") === owner.kind &&
      parent.name === owner.metadata.name &&
      (parent.namespace ?? metadata.namespace) === owner.metadata.namespace &&
      // ParentReference.port: "When both Port and SectionName are specified, the name and port of
      // the selected listener must match both specified values."
      [undefined, listener.name].includes(parent.sectionName) &&
      [undefined, listener.port].includes(parent.port),
  );
}

/** HTTPHeaderMatch.name: "only the first entry with an equivalent name MUST be considered". */
const firstOfEach = (all: readonly ValueMatch[] = [], same = (name: string) => name) =>
  all.filter(({ name }, at) => all.findIndex((other) => same(other.name) === same(name)) === at);

type Judged = Pick<Claim, "path" | "service" | "call" | "method" | "headers" | "params">;

/** Returns what counts for precedence if the request has all headers of the match. */
function headersOf(request: AskedRequest, { headers }: HTTPRouteMatch | GRPCRouteMatch): number | undefined {
  // HTTPHeaderMatch.name: "Name matching MUST be case-insensitive."
  const wanted = firstOfEach(headers, (name) => name.toLowerCase());
  const sent = new Map(Object.entries(request.headers).map(([name, value]) => [name.toLowerCase(), value]));
  // HTTPRouteMatch.headers: "a request must match all the specified headers to select the route".
  const all = wanted.every(({ type, name, value }) => {
    const one = sent.get(name.toLowerCase());
    return one !== undefined && fits(type, value, one);
  });
  return all ? wanted.length : undefined;
}

function judge(request: AskedRequest, match: HTTPRouteMatch): Judged | undefined {
  // HTTPRouteMatch.path: `If this field is not specified, a default prefix match on the "/" path`.
  const { type = "PathPrefix", value = "/" } = match.path ?? {};
  // PathMatchPathPrefix: "on a path element by element basis", "a trailing `/` is ignored".
  const prefix = value.replace(/\/$/, "");
  const reached = type === "PathPrefix" ? `${request.path}/`.startsWith(`${prefix}/`) : fits(type, value, request.path);
  // HTTPRouteMatch.method: "matched only if the request has the specified method".
  if (!reached || ![undefined, request.method].includes(match.method)) return undefined;
  // HTTPQueryParamMatch.name: "match against the first value of the param", "an exact string
  // match".
  const params = firstOfEach(match.queryParams);
  const sent = (wanted: string) => request.query.find(([name]) => name === wanted)?.[1];
  const all = params.every((one) => sent(one.name) !== undefined && fits(one.type, one.value, sent(one.name)!));
  const headers = headersOf(request, match);
  if (!all || headers === undefined) return undefined;
  const path = { type, value: type === "PathPrefix" ? `${prefix}/` : value };
  return { path, service: 0, call: 0, method: match.method !== undefined, headers, params: params.length };
}

/**
 * The specification accepts one of an HTTPRoute and a GRPCRoute for a hostname, so it has no common
 * order of both. docs/gateway-api.md: "a service with a method counts as the exact path
 * `/service/method`, and a service alone as the prefix `/service/`", the others as the prefix `/`,
 * and "The test for a call counts as one match of a method."
 */
function judgeCall(request: AskedRequest, match: GRPCRouteMatch): Judged | undefined {
  // GRPCRouteRule.matches: "If no matches are specified, the implementation MUST match every gRPC
  // request." docs/gateway-api.md: "its method is POST and its content type begins with".
  const isCall = request.method === "POST" && request.headers["content-type"]?.startsWith("application/grpc");
  const [, service, method] = /^\/(.+)\/([^/]+)$/.exec(request.path) ?? [];
  const headers = headersOf(request, match);
  if (!isCall || service === undefined || method === undefined || headers === undefined) return undefined;
  // GRPCMethodMatch.service: "If left empty or omitted, will match any service." The same holds for
  // GRPCMethodMatch.method.
  const { type = "Exact", service: wanted = "", method: called = "" } = match.method ?? {};
  const rest = { method: true, headers, params: 0 };
  // A path `/a/b/c` is no service and method of gRPC, and the prefix of the service "a" takes it.
  if (type === "Exact" && wanted !== "" && called === "") {
    const path = { type: "PathPrefix", value: `/${wanted}/` };
    return request.path.startsWith(path.value) ? { path, service: 0, call: 0, ...rest } : undefined;
  }
  if (wanted !== "" && !fits(type, wanted, service)) return undefined;
  if (called !== "" && !fits(type, called, method)) return undefined;
  if (type === "Exact" && wanted !== "")
    return { path: { type: "Exact", value: request.path }, service: 0, call: 0, ...rest };
  return { path: { type: "PathPrefix", value: "/" }, service: wanted.length, call: called.length, ...rest };
}

/** Returns the Service that gets the request; undefined means the answer 404. */
export function expected(request: AskedRequest, { gateways, sets, routes }: Objects): string | undefined {
  const gateway = gateways.find(({ metadata }) => metadata.name === request.gateway)!;
  // HTTPRouteSpec.hostnames: "Implementations MUST ignore any port value specified in the HTTP Host
  // header".
  const host = request.host.replace(/:\d+$/, "");
  // GatewaySpec.listeners: "hostnames MUST match from the most specific to least specific Hostname
  // values", "Exact matches MUST be processed before wildcard matches", "the higher the number of
  // dots in the hostname to the right of the wildcard character, the higher the precedence".
  const rank = ({ hostname = "" }: GatewayListener) => [hostname === host ? 1 : 0, hostname.split(".").length] as const;
  const [place] = placesOf(gateway, sets)
    .filter(({ listener }) => listener.port === request.port && covers(listener.hostname ?? "", host))
    .sort((a, b) => {
      const [one, other] = [rank(a.listener), rank(b.listener)];
      return other[0] - one[0] || other[1] - one[1];
    });
  // GatewaySpec.listeners: "If traffic to a Gateway does not match any Listener's hostname" ...
  // "HTTP returns a 404 status code".
  if (place === undefined) return undefined;
  const claims = byName(routes.filter((route) => isAttached(route, place))).flatMap((route): Claim[] => {
    const wanted = route.spec?.hostnames ?? [];
    const hostnames = wanted.filter((hostname) => covers(hostname, host));
    if (wanted.length > 0 && hostnames.length === 0) return [];
    const judged = (match: HTTPRouteMatch | GRPCRouteMatch) =>
      route.kind === "HTTPRoute"
        ? judge(request, match as HTTPRouteMatch)
        : judgeCall(request, match as GRPCRouteMatch);
    // HTTPRouteRule.matches: "this rule will be matched if any one of the matches is satisfied",
    // and among equals "the FIRST matching rule (in list order)" wins, so the order stays here.
    return (route.spec?.rules ?? []).flatMap(({ matches, backendRefs }) =>
      (matches?.length ? matches : [{}])
        .map(judged)
        .flatMap((one) =>
          one === undefined ? [] : [{ ...one, hostnames, born: bornAt(route), backend: backendRefs![0]!.name }],
        ),
    );
  });
  return best(claims)?.backend;
}
