/**
 * A naive matcher, written from the comments of the Go types of the Gateway API v1.6.3 (package
 * `apis/v1`) by someone who had not read Sluice's own matchers. It tries every match of every
 * attached route, and the best one wins. Each criterion quotes the sentence that it follows. If
 * the specification leaves a choice to the implementation, it quotes docs/gateway-api.md instead.
 */
import type { ListenerSet } from "../../src/core/model/gateway/listener-set.ts";
import type {
  BackendReference,
  Gateway,
  GatewayListener,
  HTTPRoute,
  HTTPRouteMatch,
  ReferenceGrant,
  RouteNamespaces,
  ValueMatch,
} from "../../src/core/model/gateway/objects.ts";
import type { GRPCRoute, GRPCRouteMatch } from "../../src/core/model/gateway/routes.ts";
import type { Namespace } from "../../src/core/model/objects.ts";

export interface AskedRequest {
  readonly gateway: string;
  /** The server name of the handshake, which may be empty; absent if the client uses no TLS. */
  readonly sni?: string;
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
  readonly namespaces?: readonly Namespace[];
  readonly grants?: readonly ReferenceGrant[];
  /** `namespace/name` of Services that exist; absent if all do. */
  readonly services?: readonly string[];
  /** The names of each certificate, by `namespace/name` of its Secret. */
  readonly secrets?: Readonly<Record<string, readonly string[]>>;
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
  readonly backend: BackendReference;
  readonly route: HTTPRoute | GRPCRoute;
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
  // HTTPRouteRule.matches: "The precedence of RegularExpression path matches are
  // implementation-specific." docs/gateway-api.md: "the longest first, before the prefixes of their
  // namespace". All routes here have one namespace.
  ({ path }) => (path.type === "RegularExpression" ? path.value.length : 0),
  // HTTPRouteRule.matches: `"Prefix" path match with largest number of characters.`
  ({ path }) => (path.type === "PathPrefix" ? path.value.length : 0),
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
  /** Whether it is refused, because another listener of its object is in conflict with it. */
  readonly isRefused?: boolean;
}

/**
 * Returns the listeners of a Gateway and its sets that can be served, and those that keep their
 * hosts from others although they are refused.
 */
export function placesOf(
  gateway: Gateway,
  { sets, namespaces = [] }: Pick<Objects, "sets" | "namespaces">,
): readonly Place[] {
  const own = gateway.metadata.namespace!;
  const isChild = ({ spec, metadata }: ListenerSet) =>
    spec?.parentRef?.name === gateway.metadata.name &&
    (spec.parentRef.namespace ?? metadata.namespace) === own &&
    // ListenerNamespaces.from: "The default value None".
    accepts(gateway.spec?.allowedListeners?.namespaces, "None", metadata.namespace!, own, namespaces);
  // ListenerSetSpec.listeners: `1. "parent" Gateway 2. ListenerSet ordered by creation time (oldest
  // first) 3. ListenerSet ordered alphabetically by "{namespace}/{name}".`
  const owners = [
    gateway,
    ...byName(sets)
      .filter(isChild)
      .sort((a, b) => bornAt(a) - bornAt(b)),
  ];
  const claimed: Place[] = [];
  const served: Place[] = [];
  for (const owner of owners) {
    const places = (owner.spec?.listeners ?? []).map((listener) => ({ owner, listener }));
    // Between objects the precedence above decides.
    const left = places.filter((one) => !claimed.some((other) => areInConflict(one, other)));
    // GatewaySpec.listeners: "The implementation MUST NOT pick one conflicting Listener as the
    // winner." docs/gateway-api.md: "Newer sets do not get the port and hostname in conflict."
    // docs/gateway-api.md: "Their hosts get 404".
    const isRefused = (one: Place) => left.some((other) => other !== one && areInConflict(one, other));
    served.push(...left.map((one) => ({ ...one, isRefused: isRefused(one) })));
    claimed.push(...left);
  }
  return served;
}

/**
 * GatewaySpec.listeners: "HTTP, HTTPS, TLS: Port, Hostname", "TCP, UDP: Port" must differ, and "all
 * the Listeners that share a port with the TCP Listener are not distinct". It leaves to the
 * implementation which protocols can share a port. docs/gateway-api.md: "if its port already has
 * another protocol", and "TLS and HTTPS listeners may share one port".
 */
function areInConflict({ listener: one }: Place, { listener: other }: Place): boolean {
  const isUdp = ({ protocol }: GatewayListener) => protocol === "UDP";
  const isTls = ({ protocol }: GatewayListener) => protocol === "TLS" || protocol === "HTTPS";
  if (one.port !== other.port || isUdp(one) !== isUdp(other)) return false;
  if (one.protocol !== other.protocol && !(isTls(one) && isTls(other))) return true;
  return one.protocol === "TCP" || isUdp(one) || (one.hostname ?? "") === (other.hostname ?? "");
}

/**
 * RouteNamespaces.from: "All: Routes in all namespaces", "Selector: Routes in namespaces selected
 * by the selector", "Same: Only Routes in the same namespace may be used by this Gateway." The
 * words of ListenerNamespaces.from are the same, and "None" permits none.
 */
function accepts(
  { from, selector }: RouteNamespaces = {},
  otherwise: "Same" | "None",
  asking: string,
  own: string,
  namespaces: readonly Namespace[],
): boolean {
  const kind = from ?? otherwise;
  if (kind !== "Selector") return kind === "All" || (kind === "Same" && asking === own);
  const labels = namespaces.find(({ metadata }) => metadata.name === asking)?.metadata.labels ?? {};
  // LabelSelector: "The result of matchLabels and matchExpressions are ANDed. An empty label
  // selector matches all objects. A null label selector matches no objects."
  return (
    selector !== undefined &&
    Object.entries(selector.matchLabels ?? {}).every(([key, value]) => labels[key] === value) &&
    (selector.matchExpressions ?? []).every(({ key, operator, values = [] }) => {
      const isIn = labels[key] !== undefined && values.includes(labels[key]);
      const exists = labels[key] !== undefined;
      return { In: isIn, NotIn: !isIn, Exists: exists, DoesNotExist: !exists }[operator]!;
    })
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

/** ProtocolType: HTTPRoutes attach to the protocols HTTP and HTTPS. */
const takesRequests = ({ listener }: Pick<Place, "listener">) => ["HTTP", "HTTPS"].includes(listener.protocol);

/** Whether the listener takes routes of the kind and namespace, and the route names it. */
function isAttached(
  { kind, metadata, spec }: HTTPRoute | GRPCRoute,
  { owner, listener }: Place,
  namespaces: readonly Namespace[],
): boolean {
  const { namespaces: from, kinds = [] } = listener.allowedRoutes ?? {};
  if (!accepts(from, "Same", metadata.namespace!, owner.metadata.namespace!, namespaces)) return false;
  // AllowedRoutes.kinds: "When unspecified or empty, the kinds of Routes selected are determined
  // using the Listener protocol."
  if (!takesRequests({ listener })) return false;
  const isOurs = (one: { readonly group?: string }) => [undefined, "gateway.networking.k8s.io"].includes(one.group);
  if (kinds.length > 0 && !kinds.some((one) => isOurs(one) && one.kind === kind)) return false;
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

/**
 * ListenerStatus.attachedRoutes: "the number of Routes with the Accepted condition set to True that
 * have been attached to this Listener".
 */
export function attachedTo(place: Place, { routes, namespaces = [] }: Objects): number {
  const { hostname = "" } = place.listener;
  // HTTPRouteSpec.hostnames: "there must be at least one intersecting hostname for the HTTPRoute to
  // be attached to the Listener".
  const meets = (one: string) => covers(hostname, one) || covers(one, hostname);
  const isFor = ({ spec }: HTTPRoute | GRPCRoute) =>
    !spec?.hostnames?.length || hostname === "" || spec.hostnames.some(meets);
  return routes.filter((route) => isAttached(route, place, namespaces) && isFor(route)).length;
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

export interface Outcome {
  /** `namespace/name` of the Service that gets the request, a status, or `closed`. */
  readonly answer: string;
  /** The Secrets whose certificates the client may get; absent without TLS. */
  readonly secrets?: readonly string[];
}

export function expected(request: AskedRequest, objects: Objects): Outcome {
  const gateway = objects.gateways.find(({ metadata }) => metadata.name === request.gateway)!;
  // HTTPRouteSpec.hostnames: "Implementations MUST ignore any port value specified in the HTTP Host
  // header".
  const host = request.host.replace(/:\d+$/, "");
  const places = placesOf(gateway, objects).filter(({ listener }) => listener.port === request.port);
  if (!places.some((one) => takesRequests(one) && !one.isRefused)) return { answer: "closed" };
  const place = placeFor(host, places);
  if (request.sni === undefined) return { answer: answerAt(place, host, request, objects) };
  const shown = placeFor(request.sni, places);
  // docs/gateway-api.md: "If a listener has no usable certificate and no Ingress has the host, the
  // handshake is refused."
  const secrets = shown === undefined ? undefined : secretsFor(request.sni, shown, objects);
  if (secrets?.length === 0) return { answer: "closed" };
  const isOther = place !== undefined && place !== shown && request.sni !== "";
  // Listener.hostname: "If another Listener has an exact match or more specific wildcard entry", or
  // "If another Listener does match the Host, the Gateway SHOULD return a 421", and "If no other
  // Listener matches the Host, the Gateway MUST return a 404."
  const answer = isOther ? "421" : answerAt(place, host, request, objects);
  return { answer, ...(secrets === undefined ? {} : { secrets }) };
}

/**
 * GatewaySpec.listeners: "hostnames MUST match from the most specific to least specific Hostname
 * values", "Exact matches MUST be processed before wildcard matches", "the higher the number of
 * dots in the hostname to the right of the wildcard character, the higher the precedence".
 */
function placeFor(host: string, places: readonly Place[]): Place | undefined {
  const rank = ({ hostname = "" }: GatewayListener) => [hostname === host ? 1 : 0, hostname.split(".").length] as const;
  const [place] = places
    .filter(({ listener }) => covers(listener.hostname ?? "", host))
    .sort((a, b) => {
      const [one, other] = [rank(a.listener), rank(b.listener)];
      return other[0] - one[0] || other[1] - one[1];
    });
  return place;
}

/** Returns the Secrets of a listener whose certificates may be shown for the name. */
function secretsFor(
  name: string,
  { owner, listener }: Place,
  { secrets = {}, grants = [] }: Objects,
): readonly string[] {
  const usable = (listener.tls?.certificateRefs ?? []).flatMap((reference) => {
    const namespace = reference.namespace ?? owner.metadata.namespace!;
    const key = `${namespace}/${reference.name}`;
    // ListenerTLSConfig.certificateRefs: "References to a resource in different namespace are
    // invalid UNLESS there is a ReferenceGrant in the target namespace".
    const isPermitted = permits(grants, owner, { kind: "Secret", namespace, name: reference.name });
    return isPermitted && secrets[key] !== undefined ? [key] : [];
  });
  // Listener.tls: "The GatewayClass MUST use the longest matching SNI out of all available
  // certificates for any TLS handshake." A wildcard of a certificate stands for one label.
  const having = (one: string) => usable.filter((key) => secrets[key]!.includes(one));
  const exact = having(name);
  if (exact.length > 0) return exact.slice(0, 1);
  const wildcard = having(name.replace(/^[^.]*/, "*"));
  return [...wildcard, ...usable].slice(0, 1);
}

/** ReferenceGrantSpec: "from" and "to" are lists, and an absent name permits all of the kind. */
function permits(
  grants: readonly ReferenceGrant[],
  from: Gateway | ListenerSet | HTTPRoute | GRPCRoute,
  to: { readonly kind: string; readonly namespace: string; readonly name: string },
): boolean {
  const { namespace } = from.metadata;
  if (namespace === to.namespace) return true;
  return grants.some(
    ({ metadata, spec }) =>
      metadata.namespace === to.namespace &&
      spec?.from?.some((one) => one.kind === from.kind && one.namespace === namespace) &&
      spec.to?.some((one) => one.kind === to.kind && [undefined, "", to.name].includes(one.name)),
  );
}

function answerAt(place: Place | undefined, host: string, request: AskedRequest, objects: Objects): string {
  const { routes, namespaces = [], grants = [], services } = objects;
  // GatewaySpec.listeners: "If traffic to a Gateway does not match any Listener's hostname" ...
  // "HTTP returns a 404 status code".
  if (place === undefined || place.isRefused) return "404";
  const claims = byName(routes.filter((route) => isAttached(route, place, namespaces))).flatMap((route): Claim[] => {
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
          one === undefined ? [] : [{ ...one, hostnames, born: bornAt(route), backend: backendRefs![0]!, route }],
        ),
    );
  });
  const claim = best(claims);
  if (claim === undefined) return "404";
  const { name, namespace = claim.route.metadata.namespace! } = claim.backend;
  const isUsable = permits(grants, claim.route, { kind: "Service", namespace, name });
  // HTTPRouteRule.backendRefs: "If all entries in BackendRefs are invalid" ... "MUST receive a 500
  // status code."
  return isUsable && services?.includes(`${namespace}/${name}`) !== false ? `${namespace}/${name}` : "500";
}
