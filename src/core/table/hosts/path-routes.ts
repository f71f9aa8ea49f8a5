/**
 * Makes the routes of paths that are all plain, or all regular expressions (RS-5 and RS-6). One
 * path may need two routes: Prefix `/foo` covers the path `/foo` itself and everything under
 * `/foo/`.
 */

import type { Route } from "../../model/configuration.ts";
import { numbered } from "../../tokens/pattern-groups.ts";

/** The fields of a Location that routing needs. */
export interface Path {
  readonly path: string;
  readonly type: "exact" | "prefix";
  readonly regex: boolean;
  /** Empty if the backend gets the path unchanged. */
  readonly rewriteTarget: string;
  /** Whether it answers 503. nginx only adds a slash if a location passes requests on. */
  readonly denied: boolean;
  /** The owner's namespace; absent if the paths of all owners are read alike. */
  readonly namespace?: string | undefined;
  /** Whether it is the `/` of a host if no Claim has that. */
  readonly implicit?: boolean;
}

/** A path with its index among the paths of the host. */
export type NumberedPath = readonly [location: number, path: Path];

const none: ReadonlySet<string> = new Set();

/** Whether the host is in regex mode (RS-6.1). */
export function isRegexHost(paths: readonly Path[]): boolean {
  return paths.some(
    (path) => path.regex || (path.rewriteTarget !== "" && parts(path, none).some((part) => rewrites(path, part))),
  );
}

export function plainRoutes(paths: readonly NumberedPath[]): Route[] {
  // Most hosts have only a path `/`.
  if (paths.length === 1 && isRoot(paths[0]![1])) return [{ match: "prefix", path: "/", location: paths[0]![0] }];
  const exact = new Map<string, Route>();
  const prefix = new Map<string, Route>();
  const claim = (routes: Map<string, Route>, route: Route) => {
    if (!routes.has(route.path)) routes.set(route.path, route);
  };
  const denied = new Map(paths.map(([location, path]) => [location, path.denied]));
  for (const [location, { path, type }] of paths) {
    if (type === "exact") claim(exact, { match: "exact", path, location });
  }
  for (const [location, { path, type }] of longestFirst(paths)) {
    if (type !== "prefix") continue;
    claim(prefix, { match: "prefix", path: path.endsWith("/") ? path : `${path}/`, location });
    if (!path.endsWith("/")) claim(exact, { match: "exact", path, location });
  }
  const slash = new Map<string, Route>();
  for (const { path, location } of [...exact.values(), ...prefix.values()]) {
    const bare = path.slice(0, -1);
    // nginx reads `//` as `/`, so a redirect to it would never end.
    if (!path.endsWith("/") || bare === "" || bare === "/" || denied.get(location) === true) continue;
    if (!exact.has(bare)) claim(slash, { match: "slash", path: bare, location });
  }
  const byLength = [...prefix.values()].sort((a, b) => b.path.length - a.path.length || (a.path < b.path ? 1 : -1));
  return [...exact.values(), ...byLength, ...slash.values()];
}

export function regexRoutes(paths: readonly NumberedPath[]): Route[] {
  const routes = new Map<string, Route>();
  const exact = new Set(paths.flatMap(([, { path, type }]) => (type === "exact" ? [path] : [])));
  for (const [location, path] of longestFirst(paths)) {
    for (const part of parts(path, exact)) {
      const rewrite = rewrites(path, part) ? { rewrite: numbered(path.rewriteTarget, part) } : {};
      if (!routes.has(part)) routes.set(part, { match: "regex", path: part, location, ...rewrite });
    }
  }
  return [...routes.values()];
}

/**
 * Returns the patterns or prefixes of one path. A Prefix that neither matches nor rewrites by a
 * pattern is split (RS-6.4). The part without the slash belongs to an Exact path of the same text
 * if the host has one.
 */
function parts({ path, type, regex, rewriteTarget }: Path, exact: ReadonlySet<string>): string[] {
  const plain = !regex && (rewriteTarget === "" || rewriteTarget === path);
  if (type === "exact" || path === "/" || !plain) return [path];
  if (path.endsWith("/")) return [path];
  return exact.has(path) ? [`${path}/`] : [`${path}/`, path];
}

/**
 * Whether the path is rewritten. A target that equals the text of the route is not a rewrite
 * (RS-6.8).
 */
function rewrites({ rewriteTarget }: Path, part: string): boolean {
  return rewriteTarget !== "" && rewriteTarget !== part;
}

/**
 * Sorts by length in bytes, longest first; equal lengths in descending byte order; equal texts in
 * their given order (RS-6.3). One exception: the host's Prefix `/`, which exists before any other
 * path, comes before an Exact one.
 */
function longestFirst(paths: readonly NumberedPath[]): NumberedPath[] {
  const bytes = new Map(paths.map(([location, { path }]) => [location, Buffer.from(path)]));
  return [...paths].sort(([a, one], [b, other]) => {
    return (
      bytes.get(b)!.length - bytes.get(a)!.length ||
      Buffer.compare(bytes.get(b)!, bytes.get(a)!) ||
      Number(isRoot(other)) - Number(isRoot(one)) ||
      a - b
    );
  });
}

function isRoot({ path, type }: Path): boolean {
  return path === "/" && type === "prefix";
}
