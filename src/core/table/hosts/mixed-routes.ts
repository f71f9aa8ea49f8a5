/**
 * Orders the routes of a host on which several namespaces have paths and one of them has regular
 * expressions (RS-6 is about one namespace). Each namespace keeps the meaning of its own paths: in
 * a namespace without regular expressions they stay prefixes and exact paths. A path of an older
 * namespace comes before a pattern whose literal beginning is not longer. So `/.*` takes nothing
 * from `/admin`, and `/api(/|$)(.*)` takes its part of `/`.
 */

import type { Route } from "../../model/configuration.ts";
import { literalPrefix } from "../../tokens/literal-prefix.ts";
import { escapeRegex } from "../../tokens/path-words.ts";
import { isRegexHost, type NumberedPath, plainRoutes, regexRoutes } from "./path-routes.ts";

export interface MixedRoutes {
  readonly routes: readonly Route[];
  /**
   * Locations that come later than their length suggests, each with the Location of another
   * namespace that comes before it.
   */
  readonly displaced: ReadonlyMap<number, number>;
}

interface Entry {
  readonly route: Extract<Route, { match: "regex" }>;
  readonly namespace: string | undefined;
  /** Its path, by whose length regular expressions are ordered. */
  readonly text: Buffer;
  /** The literal beginning in lower case, because patterns ignore case. */
  readonly begins: string;
  /** Whether a rule has the path. The implicit `/` comes after every rule. */
  readonly own: boolean;
}

/**
 * Returns the routes in order. `namespaces` are those of the paths, the oldest first; undefined
 * stands for a path without an owner.
 */
export function mixedRoutes(paths: readonly NumberedPath[], namespaces: readonly (string | undefined)[]): MixedRoutes {
  const merged: Entry[] = [];
  const slashes: Route[] = [];
  const displaced = new Map<number, number>();
  for (const namespace of namespaces) {
    const mine = paths.filter(([, path]) => path.namespace === namespace);
    let least = 0;
    for (const entry of entriesOf(mine, namespace, slashes)) {
      const before = merged.findLastIndex((one) => one.own && isBefore(one, entry));
      const natural = merged.findIndex((one) => isLonger(entry.text, one.text));
      const place = natural < 0 ? merged.length : natural;
      if (before >= place) displaced.set(entry.route.location, merged[before]!.route.location);
      least = Math.max(least, before + 1, place);
      merged.splice(least, 0, entry);
      least += 1;
    }
  }
  const free = slashes.filter(({ path }) => paths.every(([, one]) => one.path !== path));
  return { routes: [...free, ...merged.map(({ route }) => route)], displaced };
}

/** Whether a path of an older namespace has to come before this one. */
function isBefore(older: Entry, entry: Entry): boolean {
  return older.namespace !== entry.namespace && older.begins.startsWith(entry.begins);
}

function entriesOf(paths: readonly NumberedPath[], namespace: string | undefined, slashes: Route[]): Entry[] {
  const own = new Map(paths.map(([location, { implicit }]) => [location, implicit !== true]));
  const entry = (route: Entry["route"], text: string, begins: string): Entry => {
    return {
      route,
      namespace,
      text: Buffer.from(text),
      begins: begins.toLowerCase(),
      own: own.get(route.location) === true,
    };
  };
  if (isRegexHost(paths.map(([, path]) => path))) {
    return regexRoutes(paths).flatMap((route) =>
      route.match === "regex" ? [entry(route, route.path, literalPrefix(route.path))] : [],
    );
  }
  return plainRoutes(paths).flatMap((route) => {
    const { path, location } = route;
    if (route.match === "slash") slashes.push(route);
    if (route.match === "slash" || route.match === "regex") return [];
    const end = route.match === "exact" ? "\\z" : "";
    return [entry({ match: "regex", path: `(?-i:${escapeRegex(path)}${end})`, location }, path, path)];
  });
}

/**
 * Whether the first text is longer in bytes (RS-6.3). With equal lengths, the text that is later in
 * the alphabet counts as longer.
 */
function isLonger(one: Buffer, two: Buffer): boolean {
  return one.length === two.length ? Buffer.compare(one, two) > 0 : one.length > two.length;
}
