/**
 * Locations that are nginx's own even in dynamic mode. nginx refuses a snippet with a `location` or
 * an `alias` in a shape, which is a named location. So the paths of its host are text: each is a
 * location that runs the router. It serves the request itself if the router chooses it, and
 * otherwise jumps as `location /` does. The same holds for a snippet with groups of the path's
 * pattern, and for paths beside a server snippet with locations. Endpoints stay data.
 */

import type { Route, Server } from "../../model/configuration.ts";
import type { FeatureValues } from "../../policies/registry.ts";
import type { Token } from "../../tokens/token.ts";
import { hasTextPaths, isText, type TextServer } from "../conf/text-servers.ts";
import { blocksOf } from "../location/blocks.ts";
import type { Shapes } from "./shape.ts";

/** One path of a host. */
export interface TextLocation {
  readonly match: Token;
  /** Index of its Location. */
  readonly location: number;
  /** The name of the shape whose text it contains; without one, the router decides where to go. */
  readonly shape?: string;
}

export interface RoutedTextServer extends TextServer {
  /** Returns the paths that are text; none if all paths are data. */
  readonly locations: readonly TextLocation[];
  /** Whether these paths leave some requests to `location /`. */
  readonly leavesRest: boolean;
}

export function textLocationsOf(server: Server<FeatureValues>, shapes: Shapes): TextLocation[] {
  if (!hasTextPaths(server)) return [];
  return blocksOf(server).map(({ match, location }) => {
    const own = server.locations[location]!;
    return isText(own) ? { match, location, shape: shapes.of(own, server.features).name } : { match, location };
  });
}

/** Whether the paths of the host that are text leave some requests to `location /`. */
export function leavesRest(server: Server<FeatureValues>): boolean {
  return !hasTextPaths(server) || !server.routes.some(({ path, match }) => path === "/" && takesBelow.has(match));
}

const takesBelow: ReadonlySet<Route["match"]> = new Set(["prefix", "regex"] as const);
