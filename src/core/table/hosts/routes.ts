import { type MixedRoutes, mixedRoutes } from "./mixed-routes.ts";
import { isRegexHost, type Path, plainRoutes, regexRoutes } from "./path-routes.ts";

/** Returns the routes. `paths` are in the host's order: those of the oldest Claim come first. */
export function routesOf(paths: readonly Path[]): MixedRoutes {
  const entries = [...paths.entries()];
  if (!isRegexHost(paths)) return { routes: plainRoutes(entries), displaced: nothing };
  const namespaces = new Set(paths.map(({ namespace }) => namespace));
  const hasNobodys = namespaces.delete(undefined);
  if (namespaces.size < 2) return { routes: regexRoutes(entries), displaced: nothing };
  return mixedRoutes(entries, [...namespaces, ...(hasNobodys ? [undefined] : [])]);
}

const nothing: ReadonlyMap<number, number> = new Map();
