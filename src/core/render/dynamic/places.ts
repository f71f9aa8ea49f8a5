/**
 * Renders the paths of a host as data. Routes with the same path share one entry: the number of a
 * location if the path alone decides, or a list in the order in which they are tried. Routes after
 * one without conditions are never tried, so they are left out.
 */
import { type Conditions, elsewhere, hasPatterns, type Route, type ValueCondition } from "../../model/configuration.ts";
import type { Fields } from "../../model/records.ts";
import { escapedPath } from "../../tokens/path-words.ts";
import { groupsOf } from "../../tokens/pattern-groups.ts";

type Place = number | readonly (number | Fields<"choice">)[];

/** Returns the number of a route's location, counted from 1 as in Lua. */
export type NumberOf = (route: Route) => number;
/**
 * Returns what an item of the list has beyond its text and place: a target, and the prefix that it
 * sends.
 */
export type RewriteOf = (route: Route) => readonly string[];

/** Returns the fields with the paths. */
export function placesIn(routes: readonly Route[], numberOf: NumberOf, rewriteOf: RewriteOf): Fields<"host"> {
  const isOrdered = hasPatterns(routes);
  const isExact = ({ match }: Route) => match === "exact" || match === "slash";
  const placed = (some: readonly Route[]) =>
    [...Map.groupBy(some, ({ path }) => path)].map(([path, same]) => [path, placeOf(same, numberOf)] as const);
  const first = routes.findIndex((route) => !isExact(route));
  const isFirst = (route: Route, at: number) => isExact(route) && (!isOrdered || first < 0 || at < first);
  const exact = placed(routes.filter(isFirst));
  const rest = routes.filter((route, at) => !isFirst(route, at));
  return {
    ...(exact.length > 0 ? { exact: Object.fromEntries(exact) } : {}),
    ...(rest.length === 0
      ? {}
      : isOrdered
        ? { list: rest.map((route) => [itemText(route), placeOf([route], numberOf), ...rewriteOf(route)]) }
        : { prefix: [...placed(rest)].sort(([a], [b]) => Buffer.byteLength(b) - Buffer.byteLength(a)).flat() }),
  };
}

/** Returns the text of an item. Its first character says how it is compared (paths.lua). */
function itemText({ match, path }: Route): string {
  if (match === "prefix") return path;
  if (match === "pattern") return wholeOf(path);
  return match === "regex" ? `^${groupsOf(path).text}` : `=${path}`;
}

/** Returns the entry of routes with the same path. */
function placeOf(same: readonly Route[], numberOf: NumberOf): Place {
  // For hosts below a wildcard, locations of another Server are not compared.
  const last = same.findIndex(({ conditions, location }) => conditions === undefined && location !== elsewhere);
  const choices = (last < 0 ? same : same.slice(0, last + 1)).map((route) => choiceOf(route, numberOf(route)));
  return choices.length === 1 && typeof choices[0] === "number" ? choices[0] : choices;
}

function choiceOf({ match, path, conditions }: Route, location: number): number | Fields<"choice"> {
  const slash = match === "slash" ? { slash: `${escapedPath(path)}/` } : {};
  if (conditions === undefined) return match === "slash" ? { location, ...slash } : location;
  const { method, headers, query, call }: Conditions = conditions;
  return {
    location,
    ...(method === undefined ? {} : { method }),
    ...(headers.length > 0 ? { headers: headers.map(headerCondition) } : {}),
    ...(query.length > 0 ? { query: query.map(conditionOf) } : {}),
    ...(call === undefined ? {} : { call: call.map(conditionOf) }),
  };
}

/** Returns the condition as a list, whose third item says whether the value is a pattern. */
function conditionOf({ name, type, value }: ValueCondition): readonly (string | number)[] {
  return type === "regex" ? [name, wholeOf(value), 1] : [name, value, 0];
}

/**
 * Returns the condition with the name of nginx's variable. A header with other characters than
 * letters, digits and `-` has no variable of its own: `$http_x_a` has the value of X-A.
 */
function headerCondition(condition: ValueCondition): readonly (string | number)[] {
  const name = condition.name.toLowerCase();
  const variable = /^[a-z0-9-]+$/.test(name) ? [`http_${name.replaceAll("-", "_")}`] : [];
  return [...conditionOf({ ...condition, name }), ...variable];
}

/** Anchors the pattern, which has to match the whole text. */
export function wholeOf(pattern: string): string {
  return `\\A(?:${groupsOf(pattern).text})\\z`;
}
