/**
 * Locations that are nginx's own in dynamic mode too. A snippet with a `location` or an `alias` in
 * it is refused in a shape, which is a named location, so its host's paths are text: each is a
 * location that asks the router, goes on itself where the router means it, and else jumps as
 * `location /` does. So is that of a snippet with groups of the path's pattern, and so are those
 * beside a server snippet with locations. Endpoints stay data.
 */
import type { FeatureValues } from "../../annotations/registry.ts";
import type { Token } from "../../directives/token.ts";
import type { Server } from "../../model/configuration.ts";
import { hasTextPaths, isText, type TextServer } from "../conf/text-servers.ts";
import { blocksOf } from "../location/blocks.ts";
import type { Shapes } from "./shape.ts";

/** One path of a host. */
export interface TextLocation {
  readonly match: Token;
  /** Index of its Location. */
  readonly location: number;
  /** The name of the shape whose text stands in it; without one, the router says where to go on. */
  readonly shape?: string;
}

export interface RoutedTextServer extends TextServer {
  /** Empty where all its paths are data. */
  readonly locations: readonly TextLocation[];
}

export function textLocationsOf(server: Server<FeatureValues>, shapes: Shapes): TextLocation[] {
  if (!hasTextPaths(server)) return [];
  return blocksOf(server).map(({ match, location }) => {
    const own = server.locations[location]!;
    return isText(own) ? { match, location, shape: shapes.of(own, server.features).name } : { match, location };
  });
}
