/** Routes of a host that also take a path but come after the one that gets the request. */

import { elsewhere, type Location, type Route, type Server } from "../../core/model/configuration.ts";
import type { FeatureValues } from "../../core/policies/registry.ts";
import { wholePattern } from "./conditions.ts";
import { mostTooLong, patternOf } from "./pattern.ts";

export interface Outranked {
  readonly route: Route;
  readonly location: Location<FeatureValues>;
  readonly why: string;
}

/** Returns them in the order in which they would be tried, each Location once. */
export function outranked(
  { routes, locations }: Server<FeatureValues>,
  taken: Route,
  uri: string,
): readonly Outranked[] {
  const hasPatterns = routes.some(({ match }) => match === "regex");
  const takes = taker(uri);
  const others = routes.filter(
    (route) =>
      route.location !== taken.location &&
      route.location !== elsewhere &&
      (!hasPatterns || route.match === "regex") &&
      locations[route.location]!.owner !== undefined &&
      takes(route),
  );
  const sorted = others.toSorted((a, b) => rank(a) - rank(b) || lengthFirst(a, b));
  const once = [...new Map(sorted.map((route) => [route.location, route])).values()];
  const written = asWritten(taken, routes);
  return once.map((route) => ({ route, location: locations[route.location]!, why: whyBehind(route, written) }));
}

/**
 * Returns the prefix `/a/` for the exact path `/a` that is made beside it, because its author wrote
 * a prefix. All other routes stay as they are.
 */
export function asWritten(taken: Route, routes: readonly Route[]): Route {
  if (taken.match !== "exact") return taken;
  const isTwin = ({ match, path, location }: Route) =>
    match === "prefix" && path === `${taken.path}/` && location === taken.location;
  return routes.find(isTwin) ?? taken;
}

function taker(uri: string): (route: Route) => boolean {
  let tooLong = 0;
  return ({ match, path }) => {
    if (match === "exact") return path === uri;
    if (match === "prefix") return uri.startsWith(path);
    if (match === "slash" || tooLong === mostTooLong) return false;
    const pattern = match === "regex" ? patternOf(`^(?:${path})`) : wholePattern(path);
    const takes = pattern?.test(uri);
    if (pattern !== undefined && takes === undefined) tooLong++;
    return takes === true;
  };
}

const ranks = ["exact", "slash", "prefix", "regex", "pattern"];
const rank = ({ match }: Route): number => ranks.indexOf(match);

function lengthFirst(a: Route, b: Route): number {
  return a.match === "prefix" && b.match === "prefix" ? b.path.length - a.path.length : 0;
}

function whyBehind(route: Route, taken: Route): string {
  if (route.match === taken.match && route.path === taken.path) return "the other rule with this path comes first";
  const isPrefix = taken.match === "prefix" || taken.match === "slash";
  if (route.match === "prefix" && isPrefix) return `${taken.path.replace(/(.)\/$/, "$1")} is longer`;
  if (route.match === taken.match) return "the other pattern stands before it";
  return taken.match === "exact" ? "an exact path comes first" : "a path comes before a pattern";
}
