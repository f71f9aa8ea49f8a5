/**
 * /** A naive implementation of the text of the Gateway API about which Service gets a request
 * (Gateway.spec.listeners, ListenerSet.spec.listeners, HTTPRoute.spec.hostnames,
 * HTTPRouteRule.matches and GRPCRouteRule.matches). It is independent of Sluice's implementation:
 * it tries all matches, and the best one wins. The text does not say how routes of both kinds
 * compare. Here the service and the method of a GRPCRoute become a path, and a match that is not
 * exact gets the path `/`.
 */
import type { ListenerSet } from "../../src/model/gateway/listener-set.ts";
import type { Gateway, GatewayListener, HTTPRoute } from "../../src/model/gateway/objects.ts";
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

type Rule = NonNullable<NonNullable<HTTPRoute["spec"]>["rules"]>[number];
type Match = NonNullable<Rule["matches"]>[number];

interface Fitting {
  /** The values of the criteria, the most important first; smaller values win. */
  readonly order: readonly (number | string)[];
  readonly service: string;
}

/** Returns whether a hostname matches a host. A wildcard stands for one label or more. */
function takes(hostname: string, host: string): boolean {
  if (hostname === "") return true;
  if (hostname.startsWith("*.")) return host.endsWith(hostname.slice(1)) && host.length > hostname.length - 1;
  return hostname === host;
}

/**
 * The order of "most specific" listeners: a name first, then the longest wildcard, then no
 * hostname.
 */
const specificity = (hostname: string): number =>
  hostname === "" ? 0 : hostname.startsWith("*.") ? hostname.length : 1000 + hostname.length;

export interface Objects {
  readonly gateways: readonly Gateway[];
  readonly sets: readonly ListenerSet[];
  readonly routes: readonly (HTTPRoute | GRPCRoute)[];
}

interface Merged {
  readonly object: Gateway | ListenerSet;
  readonly listener: GatewayListener;
}

/**
 * Returns "the merged list of all listeners": those of the Gateway, then those of the sets by age
 * and name. The first listener with a hostname gets it.
 */
function mergedListeners(gateway: Gateway, sets: readonly ListenerSet[], port: number): Merged[] {
  const born = ({ metadata }: ListenerSet) => [Date.parse(String(metadata.creationTimestamp)), metadata.name];
  const attached = sets
    .filter(({ spec }) => spec?.parentRef?.name === gateway.metadata.name)
    .sort((a, b) => compared(born(a), born(b)));
  const all = [gateway, ...attached].flatMap((object) =>
    (object.spec?.listeners ?? []).map((listener) => ({ object, listener })),
  );
  return all
    .filter(({ listener }) => listener.port === port)
    .filter((one, at, rest) => rest.findIndex((o) => o.listener.hostname === one.listener.hostname) === at);
}

/**
 * Returns the name of the Service that gets the request; undefined if no route matches, so that the
 * answer is 404.
 */
export function expected(request: AskedRequest, { gateways, sets, routes }: Objects): string | undefined {
  const gateway = gateways.find(({ metadata }) => metadata.name === request.gateway)!;
  const [found] = mergedListeners(gateway, sets, request.port)
    .filter(({ listener: { hostname = "" } }) => takes(hostname, request.host))
    .sort((a, b) => specificity(b.listener.hostname ?? "") - specificity(a.listener.hostname ?? ""));
  if (found === undefined) return undefined;
  const { object, listener } = found;
  const attached = routes.filter(({ spec }) =>
    (spec?.parentRefs ?? []).some(
      ({ kind = "Gateway", name, sectionName, port }) =>
        kind === object.kind &&
        name === object.metadata.name &&
        (sectionName === undefined || sectionName === listener.name) &&
        (port === undefined || port === listener.port),
    ),
  );
  const fitting = attached.flatMap((route) => fittingIn(route, request));
  return fitting.sort((a, b) => compared(a.order, b.order))[0]?.service;
}

function fittingIn(route: HTTPRoute | GRPCRoute, request: AskedRequest): Fitting[] {
  const { metadata, spec } = route;
  const all = spec?.hostnames ?? [];
  const [hostname] = (all.length > 0 ? all : [""])
    .filter((one) => takes(one, request.host))
    .sort((a, b) => specificity(b) - specificity(a));
  if (hostname === undefined) return [];
  const characters = hostname.startsWith("*.") || hostname === "" ? 0 : hostname.length;
  const age = Date.parse(String(metadata.creationTimestamp));
  const name = `${metadata.namespace}/${metadata.name}`;
  const orders =
    route.kind === "HTTPRoute"
      ? (route.spec?.rules ?? []).map(({ matches = [{}] }) => matches.map((match) => requestOrder(match, request)))
      : (route.spec?.rules ?? []).map(({ matches = [{}] }) => matches.map((match) => callOrder(match, request)));
  return orders.flatMap((ofRule, at) =>
    ofRule.flatMap((one, nth) => {
      if (one === undefined) return [];
      const order = [-characters, -hostname.length, ...one, age, name, at, nth];
      return [{ order, service: spec?.rules?.[at]?.backendRefs?.[0]?.name ?? "" }];
    }),
  );
}

/** Returns the criteria of a match; undefined if the request does not match. */
function requestOrder(match: Match, request: AskedRequest): readonly (number | string)[] | undefined {
  const path = pathOrder(match, request.path);
  if (path === undefined || !fulfils(match, request)) return undefined;
  const { method, headers = [], queryParams = [] } = match;
  return [...path, 0, 0, method === undefined ? 1 : 0, -headers.length, -queryParams.length];
}

function callOrder({ method: asked = {}, headers = [] }: GRPCRouteMatch, request: AskedRequest) {
  const isCall = request.method === "POST" && request.headers["content-type"]?.startsWith("application/grpc") === true;
  if (!isCall || !fulfils({ headers }, request)) return undefined;
  const { type = "Exact", service = "", method = "" } = asked;
  const [, its = "", itsMethod = ""] = /^\/(.+)\/([^/]+)$/.exec(request.path) ?? [];
  const rest = [0, -headers.length, 0];
  if (type === "Exact" && service !== "") {
    if (method === "") return pathOrder({ path: { value: `/${service}` } }, request.path)?.concat(0, 0, rest);
    return pathOrder({ path: { type: "Exact", value: `/${service}/${method}` } }, request.path)?.concat(0, 0, rest);
  }
  const takes = (wanted: string, value: string) =>
    wanted === "" || (type === "Exact" ? wanted === value : new RegExp(`^(?:${wanted})$`).test(value));
  return takes(service, its) && takes(method, itsMethod) ? [1, 0, -service.length, -method.length, ...rest] : undefined;
}

/**
 * Orders paths: exact ones first, then the longest prefix, then regular expressions. Undefined if
 * the path does not match.
 */
function pathOrder({ path = {} }: Match, asked: string): readonly (number | string)[] | undefined {
  const { type = "PathPrefix", value = "/" } = path;
  if (type === "Exact") return value === asked ? [0, 0] : undefined;
  if (type === "RegularExpression") {
    return new RegExp(`^(?:${value})$`).test(asked) ? [2, -value.length] : undefined;
  }
  // Prefixes are compared element by element: /foo matches /foo and /foo/bar but not /foobar. A
  // final slash does not matter.
  const elements = value.replace(/\/$/, "");
  return asked === elements || asked.startsWith(`${elements}/`) ? [1, -elements.length] : undefined;
}

function fulfils({ method, headers = [], queryParams = [] }: Match, request: AskedRequest): boolean {
  const fits = (type: string | undefined, wanted: string, value: string | undefined) =>
    value !== undefined &&
    (type === "RegularExpression" ? new RegExp(`^(?:${wanted})$`).test(value) : value === wanted);
  return (
    (method === undefined || method === request.method) &&
    headers.every(({ type, name, value }) => fits(type, value, request.headers[name.toLowerCase()])) &&
    queryParams.every(({ type, name, value }) => fits(type, value, request.query.find(([key]) => key === name)?.[1]))
  );
}

function compared(a: readonly (number | string)[], b: readonly (number | string)[]): number {
  const at = a.findIndex((one, index) => one !== b[index]);
  return at < 0 ? 0 : a[at]! < b[at]! ? -1 : 1;
}
