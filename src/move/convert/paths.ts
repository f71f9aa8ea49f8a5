/**
 * Converts the paths of a host's Locations to matches of routes. In the Configuration a prefix ends
 * in a slash, and the path without the slash is a second entry; PathPrefix covers both.
 */

import type { Route, Server } from "../../core/model/configuration.ts";
import type { HTTPRouteMatch } from "../../core/model/gateway/objects.ts";
import type { FeatureValues } from "../../core/policies/registry.ts";

export type Way = {
  /** The index among the Locations of the host. */
  readonly location: number;
  readonly path: NonNullable<HTTPRouteMatch["path"]>;
} & (
  | { readonly kind: "plain" }
  /**
   * The path after the rewrite, which may name groups of the pattern. If it is undefined, the
   * path stays.
   */
  | { readonly kind: "pattern"; readonly rewrite: string | undefined }
  /** Answers 301 to this path. */
  | { readonly kind: "slash"; readonly to: string }
);

/** Returns the ways in the order in which they are tried. */
export function waysOf({ routes }: Pick<Server<FeatureValues>, "routes">): readonly Way[] {
  const [only] = routes;
  const isAlone = routes.length === 1 && only?.match === "regex" && only.path === "/" && only.rewrite === undefined;
  if (isAlone) return [{ kind: "plain", location: only.location, path: { type: "PathPrefix", value: "/" } }];
  const prefixes = new Map(routes.flatMap((one) => (one.match === "prefix" ? [[one.path, one.location]] : [])));
  return inLengths(routes.flatMap((route) => wayOf(route, prefixes)));
}

/** Makes a pattern longer without changing its meaning. */
const padding = "(?:)";

/**
 * Makes each pattern at least as long as the next one, so that routes try them in this order.
 * Routes try the longest pattern first, and Ingresses the longest path, which may be split into
 * patterns of two lengths.
 */
function inLengths(ways: readonly Way[]): readonly Way[] {
  let least = 0;
  const padded = ways.toReversed().map((way): Way => {
    if (way.kind !== "pattern") return way;
    const short = Math.max(0, least - way.path.value!.length);
    const value = way.path.value + padding.repeat(Math.ceil(short / padding.length));
    least = value.length;
    return { ...way, path: { ...way.path, value } };
  });
  return padded.reverse();
}

function wayOf(route: Route, prefixes: ReadonlyMap<string, number>): Way[] {
  const { path, location } = route;
  // nginx reads two slashes as one, so such a path takes no request, and routes may not have it.
  if ((route.match === "prefix" || route.match === "exact") && path.includes("//")) return [];
  if (route.match === "prefix") {
    const value = path === "/" ? "/" : escaped(path.slice(0, -1));
    return [{ kind: "plain", location, path: { type: "PathPrefix", value } }];
  }
  if (route.match === "exact") {
    // PathPrefix takes the path without the slash, too.
    if (prefixes.get(`${path}/`) === location) return [];
    return [{ kind: "plain", location, path: { type: "Exact", value: escaped(path) } }];
  }
  if (route.match === "slash") {
    return [{ kind: "slash", location, path: { type: "Exact", value: escaped(path) }, to: `${path}/` }];
  }
  if (route.match === "pattern") return [];
  const value = wholePattern(path);
  return [{ kind: "pattern", location, path: { type: "RegularExpression", value }, rewrite: route.rewrite }];
}

/**
 * Escapes a path: Ingresses have paths as nginx decodes them, and the Gateway API allows few
 * characters unescaped.
 */
function escaped(path: string): string {
  const percent = (byte: number) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
  return path.replace(/[^-A-Za-z0-9/._~!$&'()*+,;=:@]/gu, (char) => [...Buffer.from(char)].map(percent).join(""));
}

/**
 * Returns a pattern for the whole path. An Ingress's pattern is anchored at its start only and
 * ignores case; a route's pattern has to match the whole path. All patterns get the same text
 * around them, because the longest pattern is tried first.
 */
function wholePattern(path: string): string {
  return `(?i:${path})(?s:.*)`;
}
