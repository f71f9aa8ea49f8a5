/**
 * Who gets a request, as the text of the Gateway API says it (Gateway.spec.listeners, HTTPRoute.spec.hostnames and
 * HTTPRouteRule.matches), without any regard for how Sluice finds it: all matches are tried, and the best one wins.
 */
import type { Gateway, HTTPRoute } from "../../src/model/gateway/objects.ts";

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
  /** What decides, the more important first; the smallest wins. */
  readonly order: readonly (number | string)[];
  readonly service: string;
}

/** A wildcard takes one label or more before the rest. */
function takes(hostname: string, host: string): boolean {
  if (hostname === "") return true;
  if (hostname.startsWith("*.")) return host.endsWith(hostname.slice(1)) && host.length > hostname.length - 1;
  return hostname === host;
}

/** "most specific" of listeners: a name, then the longest wildcard, then no hostname. */
const specificity = (hostname: string): number =>
  hostname === "" ? 0 : hostname.startsWith("*.") ? hostname.length : 1000 + hostname.length;

/** The name of the Service that gets it; undefined where no route takes it: 404. */
export function expected(
  request: AskedRequest,
  gateways: readonly Gateway[],
  routes: readonly HTTPRoute[],
): string | undefined {
  const gateway = gateways.find(({ metadata }) => metadata.name === request.gateway)!;
  const [listener] = (gateway.spec?.listeners ?? [])
    .filter(({ port, hostname = "" }) => port === request.port && takes(hostname, request.host))
    .sort((a, b) => specificity(b.hostname ?? "") - specificity(a.hostname ?? ""));
  if (listener === undefined) return undefined;
  const attached = routes.filter(({ spec }) =>
    (spec?.parentRefs ?? []).some(
      ({ name, sectionName, port }) =>
        name === request.gateway &&
        (sectionName === undefined || sectionName === listener.name) &&
        (port === undefined || port === listener.port),
    ),
  );
  const fitting = attached.flatMap((route) => fittingIn(route, request));
  return fitting.sort((a, b) => compared(a.order, b.order))[0]?.service;
}

function fittingIn({ metadata, spec }: HTTPRoute, request: AskedRequest): Fitting[] {
  const all = spec?.hostnames ?? [];
  const [hostname] = (all.length > 0 ? all : [""])
    .filter((one) => takes(one, request.host))
    .sort((a, b) => specificity(b) - specificity(a));
  if (hostname === undefined) return [];
  const characters = hostname.startsWith("*.") || hostname === "" ? 0 : hostname.length;
  const age = Date.parse(String(metadata.creationTimestamp));
  const name = `${metadata.namespace}/${metadata.name}`;
  return (spec?.rules ?? []).flatMap((rule, at) =>
    (rule.matches ?? [{}]).flatMap((match, nth) => {
      const path = pathOrder(match, request.path);
      if (path === undefined || !fulfils(match, request)) return [];
      const conditions = [
        match.method === undefined ? 1 : 0,
        -(match.headers ?? []).length,
        -(match.queryParams ?? []).length,
      ];
      const order = [-characters, -hostname.length, ...path, ...conditions, age, name, at, nth];
      return [{ order, service: rule.backendRefs?.[0]?.name ?? "" }];
    }),
  );
}

/** Exact first, then the prefix with most characters, then regular expressions; undefined where it is another path. */
function pathOrder({ path = {} }: Match, asked: string): readonly (number | string)[] | undefined {
  const { type = "PathPrefix", value = "/" } = path;
  if (type === "Exact") return value === asked ? [0, 0] : undefined;
  if (type === "RegularExpression") {
    return new RegExp(`^(?:${value})$`).test(asked) ? [2, -value.length] : undefined;
  }
  // Element by element: /foo takes /foo and /foo/bar, and not /foobar; a slash at the end says nothing.
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
