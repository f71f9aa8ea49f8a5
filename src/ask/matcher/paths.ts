/**
 * Finds the Location of a request on a host, as nginx/lua/sluice/route/paths.lua does. It also
 * returns the routes that were tried before and whose conditions do not hold.
 */

import { elsewhere, hasPatterns, type Location, type Route, type Server } from "../../core/model/configuration.ts";
import type { FeatureValues } from "../../core/policies/registry.ts";
import { groupsOf } from "../../core/tokens/pattern-groups.ts";
import { type Asking, unfulfilled, wholePattern } from "./conditions.ts";
import { patternOf } from "./pattern.ts";

export interface RouteTaken {
  readonly server: Server<FeatureValues>;
  readonly location: Location<FeatureValues>;
  readonly route: Route;
}

/** A route that does not get the request, because of its path or its conditions. */
export interface RouteLost extends RouteTaken {
  readonly why: string;
}

export type FoundPath =
  | (RouteTaken & {
      readonly kind: "location";
      /** The groups of a pattern, the whole match first. */
      readonly groups: readonly (string | undefined)[];
    })
  | { readonly kind: "nothing" }
  /** The Location belongs to a host of the port itself, which a listener shares. */
  | { readonly kind: "elsewhere" }
  /** A pattern that only nginx can apply comes before the route that would be found. */
  | { readonly kind: "unclear"; readonly pattern: string };

/**
 * Adds to `lost` each route whose conditions do not hold. If `isDeep`, the host is a wildcard that
 * stands for several labels of the request's host, and Locations of the port itself, whose
 * wildcards stand for one, are left out.
 */
export function pathOf(
  server: Server<FeatureValues>,
  asking: Asking,
  lost: RouteLost[] = [],
  isDeep = false,
): FoundPath {
  const { uri } = asking.request;
  for (const route of inOrder(server)) {
    const groups = groupsIn(route, uri);
    if (groups === undefined) return { kind: "unclear", pattern: route.path };
    if (groups === null || (isDeep && route.location === elsewhere)) continue;
    if (route.location === elsewhere) return { kind: "elsewhere" };
    const candidate = { server, location: server.locations[route.location]!, route };
    const why = unfulfilled(route.conditions, asking);
    if (why === undefined) return { kind: "location", ...candidate, groups };
    if (why.kind === "unclear") return why;
    lost.push({ ...candidate, why: why.text });
  }
  return { kind: "nothing" };
}

/**
 * Returns exact paths, then prefixes with the longest first. Routes of a host with patterns are in
 * the host's order.
 */
function inOrder({ routes }: Server<FeatureValues>): readonly Route[] {
  if (hasPatterns(routes)) return routes;
  const prefixes = routes.filter(({ match }) => match === "prefix");
  return [
    ...routes.filter(({ match }) => match !== "prefix"),
    ...prefixes.sort((a, b) => Buffer.byteLength(b.path) - Buffer.byteLength(a.path)),
  ];
}

type Groups = readonly (string | undefined)[];

/**
 * Returns the groups of the pattern, none for a plain path; null if the route does not take the
 * path, and undefined if only nginx can decide.
 */
export function groupsIn({ match, path }: Route, uri: string): Groups | null | undefined {
  if (match === "regex") return patternOf(`^(?:${path})`)?.exec(uri);
  if (match === "prefix") return uri.startsWith(path) ? [] : null;
  if (match !== "pattern") return path === uri ? [] : null;
  const takes = wholePattern(path)?.test(uri);
  return takes ? patternOf(`^(?:${groupsOf(path).text})$`, "s")?.exec(uri) : takes === false ? null : undefined;
}

/** Returns the routes of a host none of whose paths takes the request, each once. */
export function ofOtherPaths(server: Server<FeatureValues>, uri: string): readonly RouteLost[] {
  const routes = inOrder(server).filter(({ location }) => location !== elsewhere);
  const taking = new Set(routes.filter((route) => groupsIn(route, uri)).map(({ location }) => location));
  const others = new Map(routes.filter((one) => !taking.has(one.location)).map((one) => [one.location, one]));
  const why = `it does not take the path ${uri}`;
  return [...others].map(([location, route]) => ({ server, route, location: server.locations[location]!, why }));
}

/**
 * Whether Sluice itself answers the path on the host for all names: the host has no exact path for
 * it.
 */
export function isOwn({ routes }: Server<FeatureValues>, ownPaths: readonly string[], uri: string): boolean {
  return (
    ownPaths.some((path) => uri.startsWith(path)) &&
    !routes.some(({ match, path }) => match === "exact" && path === uri)
  );
}
