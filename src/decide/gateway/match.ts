/**
 * Which listener, host and route of a Gateway's port a request finds, as nginx/lua/sluice/gateway.lua and its paths.lua and
 * conditions.lua find them. What was tried before and does not fit is told, too.
 */
import type { FeatureValues } from "../../annotations/registry.ts";
import { type Conditions, catchAll, type Location, type Route, type Server } from "../../model/configuration.ts";
import { type Listener, type ListenerPort, serverKey } from "../../model/listeners.ts";
import type { Served } from "../host.ts";
import { patternOf } from "../pattern.ts";
import type { AskedRequest, ReadRequest } from "../request.ts";

/** Of the listeners that take the host, the one with the most specific hostname. */
export function listenerFor({ listeners }: Pick<ListenerPort, "listeners">, host: string): Listener | undefined {
  const by = new Map(listeners.map((listener) => [listener.hostname, listener]));
  return namesAbove(host)
    .map((name) => by.get(name === catchAll ? "" : name))
    .find((listener) => listener !== undefined);
}

/** The host, the wildcards above it, the longest first, and the name for all hosts. */
function namesAbove(host: string): readonly string[] {
  const names = [host];
  for (let dot = host.indexOf(".", 1); dot >= 0; dot = host.indexOf(".", dot + 1)) names.push(`*${host.slice(dot)}`);
  return [...names, catchAll];
}

export interface RouteTaken {
  readonly server: Server<FeatureValues>;
  readonly location: Location<FeatureValues>;
  readonly route: Route;
}

/** A route that takes the path, and whose conditions the request does not fulfil. */
export interface RouteLost extends RouteTaken {
  readonly why: string;
}

export interface RouteSearch {
  /** In the order in which they are tried. */
  readonly lost: readonly RouteLost[];
  readonly end:
    | { readonly kind: "taken"; readonly taken: RouteTaken }
    | { readonly kind: "nothing"; readonly hosts: readonly Server<FeatureValues>[] }
    /** Only nginx reads the pattern. */
    | { readonly kind: "unclear"; readonly pattern: string };
}

/** Hosts of the listener are tried from the most specific one on, until a route of one takes the request. */
export function routeFor(
  { servers }: Pick<Served, "servers">,
  listener: string,
  request: ReadRequest,
  asked: AskedRequest,
): RouteSearch {
  const lost: RouteLost[] = [];
  const hosts = namesAbove(request.host).flatMap((name) => servers.get(serverKey({ listener, name })) ?? []);
  for (const server of hosts) {
    for (const route of inOrder(server.routes)) {
      const candidate = { server, route, location: server.locations[route.location]! };
      const fits = takesPath(route, request.uri);
      if (fits === undefined) return { lost, end: { kind: "unclear", pattern: route.path } };
      if (!fits) continue;
      const why = unfulfilled(route.conditions, request, asked);
      if (why === undefined) return { lost, end: { kind: "taken", taken: candidate } };
      if (why.kind === "unclear") return { lost, end: why };
      lost.push({ ...candidate, why: why.text });
    }
  }
  return { lost, end: { kind: "nothing", hosts } };
}

/** Exact paths, then prefixes, the longest first, then patterns; else as they stand in the host. */
function inOrder(routes: readonly Route[]): readonly Route[] {
  const of = (match: Route["match"]) => routes.filter((route) => route.match === match);
  const prefixes = of("prefix").sort((a, b) => Buffer.byteLength(b.path) - Buffer.byteLength(a.path));
  return [...of("exact"), ...prefixes, ...of("pattern")];
}

/** Undefined where only nginx can say. */
function takesPath({ match, path }: Route, uri: string): boolean | undefined {
  if (match === "exact") return path === uri;
  if (match === "prefix") return uri.startsWith(path);
  return wholePattern(path)?.test(uri);
}

function wholePattern(source: string): RegExp | undefined {
  return patternOf(`^(?:${source})$`, "");
}

type Unfulfilled =
  | { readonly kind: "lost"; readonly text: string }
  | { readonly kind: "unclear"; readonly pattern: string };

function unfulfilled(
  conditions: Conditions | undefined,
  { uri, query }: ReadRequest,
  { method, headers }: AskedRequest,
): Unfulfilled | undefined {
  if (conditions === undefined) return undefined;
  if (conditions.method !== undefined && conditions.method !== method)
    return { kind: "lost", text: `the method is ${method}, not ${conditions.method}` };
  const isCall = headers.get("content-type")?.toLowerCase().startsWith("application/grpc") === true;
  if (conditions.call !== undefined && !isCall) return { kind: "lost", text: "the request is no call of gRPC" };
  const [, service, called] = /^\/(.+)\/([^/]+)$/.exec(uri) ?? [];
  const parts: Readonly<Record<string, string | undefined>> = { service, method: called };
  const values = [
    ...(conditions.call ?? []).map((one) => ({ one, what: `the ${one.name}`, value: parts[one.name] })),
    ...conditions.headers.map((one) => ({ one, what: `header ${one.name}`, value: headers.get(one.name) })),
    ...conditions.query.map((one) => ({ one, what: `query parameter ${one.name}`, value: parameter(query, one.name) })),
  ];
  for (const { one, what, value } of values) {
    if (value === undefined) return { kind: "lost", text: `${what} is missing` };
    if (one.type === "exact") {
      if (value !== one.value) return { kind: "lost", text: `${what} is ${value}, not ${one.value}` };
      continue;
    }
    const pattern = wholePattern(one.value);
    if (pattern === undefined) return { kind: "unclear", pattern: one.value };
    if (!pattern.test(value)) return { kind: "lost", text: `${what} is ${value}, which ${one.value} does not take` };
  }
  return undefined;
}

/** The first one of the name, decoded. */
function parameter(query: string, name: string): string | undefined {
  const pairs = query
    .slice(1)
    .split("&")
    .filter((pair) => pair !== "");
  const found = pairs.find((pair) => decoded(/^[^=]*/.exec(pair)![0]) === name);
  if (found === undefined) return undefined;
  return found.includes("=") ? decoded(found.slice(found.indexOf("=") + 1)) : "";
}

function decoded(text: string): string {
  const bytes = text
    .replaceAll("+", " ")
    .replace(/%([0-9a-f]{2})/gi, (_, hex) => String.fromCharCode(parseInt(hex, 16)));
  return text.includes("%") ? Buffer.from(bytes, "latin1").toString() : bytes;
}
