/**
 * Renders a host of a listener as data. Routes with the same path share one entry of the record:
 * the number of a location if the path alone decides, or a list in the order in which they are
 * tried. Routes after one without conditions are never tried, so they are left out. The number 0
 * stands for the location of the namesake.
 */

import { literalPath } from "../../kinds/gateway/cookie-path.ts";
import { isBackendVariable } from "../../kinds/request-variables.ts";
import { targetVariables } from "../../kinds/rewrite-target.ts";
import {
  type Conditions,
  type Location,
  type Route,
  type Server,
  toNamesake,
  type ValueCondition,
  type WeightedBackend,
} from "../../model/configuration.ts";
import { serverKey } from "../../model/listeners.ts";
import { backendOf, closedReason } from "../../model/location.ts";
import { type Fields, hostKey, type RecordKey } from "../../model/records.ts";
import { holds, recordOf } from "../../policies/hooks.ts";
import type { FeatureValues } from "../../policies/registry.ts";
import { escapeRegex } from "../../tokens/path-words.ts";
import { groupsOf, numbered } from "../../tokens/pattern-groups.ts";
import { expandable } from "../dynamic/expandable.ts";
import type { Shapes } from "../dynamic/shape.ts";
import { hopOf } from "../location/hops.ts";
import { keptBy } from "../location/kept-by.ts";
import { filtersRecord, sessionRecord } from "./filter-records.ts";

type Place = number | readonly (number | Fields<"choice">)[];

export function listenerHostRecords(
  server: Server<FeatureValues>,
  shapes: Shapes,
): (readonly [key: RecordKey, value: string])[] {
  return [[hostKey(serverKey(server)), JSON.stringify(hostRecord(server, shapes))]];
}

/**
 * Returns the record of a host with its routes in shadow. These routes are only found and named.
 */
export function shadowRecord(server: Server<FeatureValues>): string {
  const record: Fields<"host"> = { locations: server.locations.map(namesOf), ...placesIn(server) };
  return JSON.stringify(record);
}

function hostRecord(server: Server<FeatureValues>, shapes: Shapes): Fields<"host"> {
  return { locations: server.locations.map((_, at) => locationRecord(server, at, shapes)), ...placesIn(server) };
}

function placesIn({ ordered, routes }: Server<FeatureValues>): Fields<"host"> {
  // nginx tries patterns in their order.
  if (ordered === true) return { pattern: routes.map((route) => [patternFor(route), placeOf([route])]) };
  const of = (match: Route["match"]) => placesOf(routes.filter((route) => route.match === match));
  const exact = of("exact");
  const prefix = [...of("prefix")].sort(([a], [b]) => Buffer.byteLength(b) - Buffer.byteLength(a));
  const patterns = routes.filter(({ match }) => match === "pattern");
  const pattern = patterns.map((route) => [wholeOf(route.path), placeOf([route])]);
  return {
    ...(exact.size > 0 ? { exact: Object.fromEntries(exact) } : {}),
    ...(prefix.length > 0 ? { prefix: prefix.flat() } : {}),
    ...(pattern.length > 0 ? { pattern } : {}),
  };
}

function patternFor({ match, path }: Route): string {
  if (match === "pattern") return wholeOf(path);
  if (match === "regex") return `(?i)^${groupsOf(path).text}`;
  return match === "exact" ? `\\A${escapeRegex(path)}\\z` : `\\A${escapeRegex(path)}`;
}

/** Returns the entries by path, in the order of the paths. Lua counts locations from 1. */
function placesOf(routes: readonly Route[]): ReadonlyMap<string, Place> {
  const places = new Map<string, Place>();
  for (const [path, same] of Map.groupBy(routes, (route) => route.path)) {
    places.set(path, placeOf(same));
  }
  return places;
}

/** Returns the entry of routes with the same path. */
function placeOf(same: readonly Route[]): Place {
  // For hosts below a wildcard, the namesake's routes are not compared.
  const last = same.findIndex(({ conditions, location }) => conditions === undefined && location !== toNamesake);
  const choices = last < 0 ? same : same.slice(0, last + 1);
  return choices.length === 1 && same[0]!.conditions === undefined ? same[0]!.location + 1 : choices.map(choiceOf);
}

function choiceOf({ location, conditions }: Route): number | Fields<"choice"> {
  if (conditions === undefined) return location + 1;
  const { method, headers, query, call }: Conditions = conditions;
  return {
    location: location + 1,
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
function wholeOf(pattern: string): string {
  return `\\A(?:${groupsOf(pattern).text})\\z`;
}

/** Returns the names of a route for logs and counts. */
function namesOf({ owner, path, rule }: Location<FeatureValues>): Fields<"location"> {
  return {
    ...(owner === undefined ? {} : { namespace: owner.namespace, route: `${owner.namespace}/${owner.name}` }),
    path,
    ...(rule === undefined ? {} : { rule }),
  };
}

function locationRecord(server: Server<FeatureValues>, at: number, shapes: Shapes): Fields<"location"> {
  const { features } = server;
  const location = server.locations[at]!;
  const { share } = location;
  const shapeOf = (backend: WeightedBackend) => shapes.ofBackend(location, backend, features);
  const { name: shape, variables } = shapeOf(backendOf(location));
  const closed = closedReason(location);
  const own = { kept: keptBy(server, at), hop: hopOf(server, at) };
  const all = { ...filled({ ...own, tls: location.ownTls === true ? "1" : "" }), ...variables };
  const { limit } = recordOf(location.features);
  return {
    // A record without a limit has no field for it.
    ...(limit === 0 ? {} : { limit }),
    ...(holds("rewritesLate", location.features, "location") ? { rewritesLate: 1 } : {}),
    shape,
    ...backendsOf(location, (backend) => shapeOf(backend).name),
    ...filtersOf(location),
    ...settingsOf(server, at, shapes),
    ...namesOf(location),
    ...(share === undefined ? {} : { share }),
    ...(closed === "" ? {} : { closed }),
    ...(Object.keys(all).length > 0 ? { variables: all } : {}),
  };
}

/** Returns values of RouteSettings that are not in the text; most locations have none. */
function settingsOf(server: Server<FeatureValues>, at: number, shapes: Shapes): Fields<"location"> {
  const location = server.locations[at]!;
  const { features, standIn, backends } = location;
  const rewriting = server.routes.find((route) => route.location === at && "rewrite" in route);
  const settings: Fields<"settings"> = {
    ...(standIn === undefined
      ? {}
      : { standIn: { upstream: standIn, shape: shapes.standInOfRoute(location, backends[0]!, server.features).name } }),
    ...(rewriting === undefined ? {} : { rewrite: rewriteOf(rewriting, features) }),
    ...(holds("issuesCookie", features, "location") ? { sticky: stickyOf(server, at) } : {}),
  };
  return Object.keys(settings).length === 0 ? {} : { settings };
}

/** Returns 1, or the path of the cookie if the path of the Location is a pattern. */
function stickyOf({ routes, locations }: Server<FeatureValues>, at: number): number | string {
  const isPattern = routes.some(({ location, match }) => location === at && match === "pattern");
  return isPattern ? literalPath(locations[at]!.path, true) : 1;
}

/** Returns the rewrite. Its pattern is matched again, for the groups that the target names. */
function rewriteOf(route: Route, { backendRequest: { prefix } }: FeatureValues): readonly (string | number)[] {
  const target = ("rewrite" in route && route.rewrite) || "";
  const pattern = route.match === "pattern" ? route.path : "";
  const text = expandable(target, targetVariables(target));
  const sent = prefix === "" ? [] : [expandable(numbered(prefix, pattern), isBackendVariable)];
  return [pattern === "" ? "" : wholeOf(pattern), 0, text, ...sent];
}

/** Returns the changes of a Location, including those of its only backend. */
function filtersOf(location: Location<FeatureValues>): Fields<"location"> {
  const record = filtersRecord(location, onlyOne(location.backends)?.filters);
  return record === undefined ? {} : { filters: record };
}

function onlyOne(backends: readonly WeightedBackend[]): WeightedBackend | undefined {
  const taking = backends.filter(({ weight }) => weight > 0);
  return taking.length === 1 ? taking[0] : undefined;
}

function filled(words: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(words).filter(([, word]) => word !== ""));
}

/**
 * Returns the list of backends. A single backend without changes is a part of the location itself,
 * as with other sources.
 */
function backendsOf(
  location: Location<FeatureValues>,
  shapeOf: (backend: WeightedBackend) => string,
): Fields<"location"> {
  const { backends } = location;
  // A redirect needs no backend.
  const isAway = location.features.redirects.elsewhere !== undefined;
  const unusableStatus = isAway ? undefined : (location.unusableStatus ?? 500);
  const total = backends.reduce((sum, { weight }) => sum + weight, 0);
  const [first] = backends;
  if (total === 0 || first === undefined) return isAway ? { upstream: "" } : { unusable: unusableStatus };
  const backend = onlyOne(backends);
  const session = location.filters?.session;
  if (backend !== undefined && session === undefined) {
    return {
      ...ownOf(backend, unusableStatus),
      ...(shapeOf(backend) === shapeOf(first) ? {} : { shape: shapeOf(backend) }),
    };
  }
  // A backend with the weight 0 gets no new sessions, but existing ones continue. It must not be
  // the last of the list, because the last backend takes the rest.
  const [idle = [], drawn = []] = [0, 1].map((min) => backends.filter(({ weight }) => Math.min(weight, 1) === min));
  const taking = session === undefined ? drawn : [...idle, ...drawn];
  let sum = 0;
  const begins = session === undefined ? {} : { session: sessionRecord(session) };
  return {
    backends: taking.map((one, at): Fields<"backend"> => {
      sum += one.weight;
      const own = one.filters === undefined ? undefined : filtersRecord(location, one.filters);
      const acts = own === undefined ? {} : { filters: own };
      return {
        upTo: sum / total,
        shape: shapeOf(one),
        ...ownOf(one, unusableStatus),
        ...acts,
        ...(at === 0 ? begins : {}),
      };
    }),
  };
}

function ownOf(
  { upstream, service, port, unusable }: WeightedBackend,
  unusableStatus: number | undefined,
): Fields<"location" & "backend"> {
  return {
    upstream,
    ...(service === "" ? {} : { service }),
    ...(port === "" ? {} : { port }),
    ...(unusable === undefined || unusableStatus === undefined ? {} : { unusable: unusableStatus }),
  };
}
