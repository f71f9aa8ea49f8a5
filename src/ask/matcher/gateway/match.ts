/**
 * Finds the listener, host and route of a request at a Gateway's port, as
 * nginx/lua/sluice/gateway.lua does with its paths.lua and conditions.lua. It also returns the
 * rules that were tried before and did not fit.
 */

import {
  catchAll,
  elsewhere,
  hasPatterns,
  type Location,
  type Route,
  type Server,
} from "../../../core/model/configuration.ts";
import { type Listener, type ListenerPort, serverKey } from "../../../core/model/listeners.ts";
import type { FeatureValues } from "../../../core/policies/registry.ts";
import { hostOf, type Served } from "../host.ts";
import { patternOf } from "../pattern.ts";
import type { AskedRequest, ReadRequest } from "../request.ts";
import { unfulfilled, wholePattern } from "./conditions.ts";

const indices = new WeakMap<readonly Listener[], ReadonlyMap<string, Listener>>();

/**
 * Returns the listeners by hostname. The map is cached, because a port with a thousand listeners
 * may get many requests.
 */
function byHostname(listeners: readonly Listener[]): ReadonlyMap<string, Listener> {
  const known = indices.get(listeners) ?? new Map(listeners.map((listener) => [listener.hostname, listener]));
  indices.set(listeners, known);
  return known;
}

/** Returns the listener with the most specific hostname that takes the host. */
export function listenerFor({ listeners }: Pick<ListenerPort, "listeners">, host: string): Listener | undefined {
  const by = byHostname(listeners);
  return namesAbove(host)
    .map((name) => by.get(name === catchAll ? "" : name))
    .find((listener) => listener !== undefined);
}

/** Returns the host, the wildcards above it with the longest first, and the name for all hosts. */
export function namesAbove(host: string): readonly string[] {
  const names = [host];
  for (let dot = host.indexOf(".", 1); dot >= 0; dot = host.indexOf(".", dot + 1)) names.push(`*${host.slice(dot)}`);
  return [...names, catchAll];
}

export interface RouteTaken {
  readonly server: Server<FeatureValues>;
  readonly location: Location<FeatureValues>;
  readonly route: Route;
}

/** A route that does not get the request, because of its path or its conditions. */
export interface RouteLost extends RouteTaken {
  readonly why: string;
}

export interface RouteSearch {
  /** In the order in which they are tried. */
  readonly lost: readonly RouteLost[];
  readonly end:
    | { readonly kind: "taken"; readonly taken: RouteTaken }
    | { readonly kind: "nothing"; readonly hosts: readonly Server<FeatureValues>[] }
    /**
     * On a shared port an Ingress takes the request, or has a more specific name for the host than
     * any route.
     */
    | { readonly kind: "ingress"; readonly why: string }
    /** Only nginx can apply the pattern. */
    | { readonly kind: "unclear"; readonly pattern: string };
}

export interface RoutePlace {
  readonly listener: Pick<Listener, "id" | "hostname">;
  /** Whether Ingresses use the port, too. */
  readonly shared: boolean;
  /** Paths that Sluice answers itself on hosts that no route and no Ingress names. */
  readonly ownPaths: readonly string[];
}

/**
 * Tries the hosts of the listener, the most specific one first, until a route of one takes the
 * request.
 */
export function routeFor(
  served: Pick<Served, "servers">,
  { listener, shared, ownPaths }: RoutePlace,
  request: ReadRequest,
  asked: AskedRequest,
): RouteSearch {
  const lost: RouteLost[] = [];
  const hosts: Server<FeatureValues>[] = [];
  const ingress = shared ? levelOf(served, request.host) : undefined;
  for (const name of namesAbove(request.host)) {
    const server = served.servers.get(serverKey({ listener: listener.id, name }));
    if (name === ingress && (server === undefined || name === catchAll)) {
      return { lost, end: { kind: "ingress", why: "an Ingress names the host more exactly than its routes" } };
    }
    if (server === undefined) continue;
    const isLast = name === catchAll && listener.hostname === "" && hosts.length === 0;
    if (shared && isLast && isOwn(server, ownPaths, request.uri)) {
      return { lost, end: { kind: "ingress", why: "Sluice answers this path by itself" } };
    }
    hosts.push(server);
    for (const route of inOrder(server)) {
      const fits = takesPath(route, request.uri);
      if (fits === undefined) return { lost, end: { kind: "unclear", pattern: route.path } };
      if (!fits) continue;
      if (route.location === elsewhere && isDeeper(name, request.host)) continue;
      if (route.location === elsewhere) return { lost, end: { kind: "ingress", why: "an Ingress has the path" } };
      const candidate = { server, route, location: server.locations[route.location]! };
      const why = unfulfilled(route.conditions, { request, asked });
      if (why === undefined) return { lost, end: { kind: "taken", taken: candidate } };
      if (why.kind === "unclear") return { lost, end: why };
      lost.push({ ...candidate, why: why.text });
    }
  }
  return { lost, end: { kind: "nothing", hosts } };
}

/** Whether Sluice itself answers the path on the host for all names. */
export function isOwn(
  { routes }: Pick<Server<FeatureValues>, "routes">,
  ownPaths: readonly string[],
  uri: string,
): boolean {
  return (
    ownPaths.some((path) => uri.startsWith(path)) &&
    !routes.some(({ match, path }) => match === "exact" && path === uri)
  );
}

/**
 * Whether the wildcard stands for several labels of the host. A wildcard of an Ingress stands for
 * one.
 */
function isDeeper(name: string, host: string): boolean {
  return name.startsWith("*.") && host.length > name.length - 1 && host.slice(host.indexOf(".", 1)) !== name.slice(1);
}

/**
 * Returns the name by which Ingresses have the host; undefined if none has it. An alias that is
 * a pattern comes after all names, but before the name for all hosts.
 */
function levelOf(served: Pick<Served, "servers">, host: string): string | undefined {
  const { how, by } = hostOf(served, host);
  if (how === "nothing else") return undefined;
  return by === host || how === "wildcard" ? by : catchAll;
}

/**
 * Returns exact paths, then prefixes with the longest first, then patterns. Equal ones are in the
 * host's order.
 */
export function inOrder({ routes }: Server<FeatureValues>): readonly Route[] {
  if (hasPatterns(routes)) return routes;
  const of = (match: Route["match"]) => routes.filter((route) => route.match === match);
  const prefixes = of("prefix").sort((a, b) => Buffer.byteLength(b.path) - Buffer.byteLength(a.path));
  return [...routes.filter(({ match }) => match === "exact" || match === "slash"), ...prefixes];
}

/** Returns the routes of a host none of whose paths takes the request, each once. */
export function ofOtherPaths(server: Server<FeatureValues>, uri: string): readonly RouteLost[] {
  const routes = inOrder(server).filter(({ location }) => location !== elsewhere);
  const taking = new Set(routes.filter((route) => takesPath(route, uri) === true).map(({ location }) => location));
  const others = new Map(routes.filter((one) => !taking.has(one.location)).map((one) => [one.location, one]));
  const why = `it does not take the path ${uri}`;
  return [...others].map(([location, route]) => ({ server, route, location: server.locations[location]!, why }));
}

/** Returns undefined if only nginx can decide. */
export function takesPath({ match, path }: Route, uri: string): boolean | undefined {
  if (match === "exact" || match === "slash") return path === uri;
  if (match === "prefix") return uri.startsWith(path);
  return match === "regex" ? patternOf(`^(?:${path})`)?.test(uri) : wholePattern(path)?.test(uri);
}
