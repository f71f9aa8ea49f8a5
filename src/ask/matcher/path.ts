/** Finds the Location of a path on a host, as nginx/lua/sluice/route/match.lua does. */

import type { Location, Route, Server } from "../../core/model/configuration.ts";
import type { FeatureValues } from "../../core/policies/registry.ts";
import { patternOf } from "./pattern.ts";

export type FoundPath =
  | {
      readonly kind: "location";
      readonly location: Location<FeatureValues>;
      readonly route: Route;
      /** The groups of a pattern, the whole match first. */
      readonly groups: readonly (string | undefined)[];
    }
  | { readonly kind: "nothing" }
  /** A pattern that only nginx can apply comes before the route that would be found. */
  | { readonly kind: "unclear"; readonly pattern: string };

export function pathOf(server: Server<FeatureValues>, uri: string): FoundPath {
  const { routes, locations } = server;
  const found = (route: Route | undefined, groups: readonly (string | undefined)[] = []): FoundPath =>
    route === undefined
      ? { kind: "nothing" }
      : { kind: "location", location: locations[route.location]!, route, groups };
  const patterns = routes.filter(({ match }) => match === "regex");
  if (patterns.length > 0) {
    // Added slashes come from paths of another namespace, which has no patterns.
    const added = routes.find(({ match, path }) => match === "slash" && path === uri);
    if (added !== undefined) return found(added);
    for (const route of patterns) {
      const groups = patternOf(`^(?:${route.path})`)?.exec(uri);
      if (groups === undefined) return { kind: "unclear", pattern: route.path };
      if (groups !== null) return found(route, [...groups]);
    }
    return { kind: "nothing" };
  }
  const of = (match: Route["match"]) => routes.filter((route) => route.match === match);
  const exact = of("exact").findLast(({ path }) => path === uri) ?? of("slash").find(({ path }) => path === uri);
  if (exact !== undefined) return found(exact);
  const prefixes = of("prefix").filter(({ path }) => uri.startsWith(path));
  return found(prefixes.sort((a, b) => Buffer.byteLength(b.path) - Buffer.byteLength(a.path))[0]);
}
