/**
 * Renders a host of a listener as data. On a port that has hosts of its own, the record also has
 * the Locations of the Server with that name.
 */

import { literalPath } from "../../kinds/gateway/cookie-path.ts";
import { isBackendVariable } from "../../kinds/request-variables.ts";
import { targetVariables } from "../../kinds/rewrite-target.ts";
import type { Location, Route, Server, WeightedBackend } from "../../model/configuration.ts";
import { serverKey } from "../../model/listeners.ts";
import { backendOf, closedReason } from "../../model/location.ts";
import { type Fields, hostKey, type RecordKey } from "../../model/records.ts";
import { takesPreflights } from "../../policies/cors/record.ts";
import { recordOf } from "../../policies/hooks.ts";
import type { FeatureValues } from "../../policies/registry.ts";
import { rewritesLate } from "../../policies/rewrite/declaration.ts";
import { issuesCookie } from "../../policies/sessions/declaration.ts";
import { firstBackend } from "../../policies/sessions/record.ts";
import { numbered } from "../../tokens/pattern-groups.ts";
import { expandable } from "../dynamic/expandable.ts";
import { hostFacts, locationRecord as otherRecord, rewriteOf as otherRewrite } from "../dynamic/location-record.ts";
import { placesIn, wholeOf } from "../dynamic/places.ts";
import type { ServerLookup, Shapes } from "../dynamic/shape.ts";
import { hopOf } from "../location/hops.ts";
import { keptBy } from "../location/kept-by.ts";
import { filtersRecord } from "./filter-records.ts";

export function listenerHostRecords(
  server: Server<FeatureValues>,
  shapes: Shapes,
  find: ServerLookup,
): (readonly [key: RecordKey, value: string])[] {
  return [[hostKey(serverKey(server)), JSON.stringify(hostRecord(server, shapes, find))]];
}

/**
 * Returns the record of a host with its routes in shadow. These routes are only found and named.
 * The number 0 stands for everything else.
 */
export function shadowRecord(server: Server<FeatureValues>): string {
  const record: Fields<"host"> = {
    locations: server.locations.map(namesOf),
    ...placesIn(
      server.routes,
      ({ location }) => location + 1,
      () => [],
    ),
  };
  return JSON.stringify(record);
}

/** Locations of another Server come after those of the Server itself. */
function hostRecord(server: Server<FeatureValues>, shapes: Shapes, find: ServerLookup): Fields<"host"> {
  const locations = server.locations.map((_, at) => locationRecord(server, at, shapes));
  const routes = server.routes.filter(({ of }) => of === undefined || find(of.host) !== undefined);
  const numbers = new Map<number, number>();
  for (const { of } of routes) {
    if (of === undefined || numbers.has(of.location)) continue;
    locations.push(otherLocation(server, find(of.host)!, of.location, shapes));
    numbers.set(of.location, locations.length);
  }
  const other = routes.find(({ of }) => of !== undefined)?.of?.host;
  return {
    locations,
    ...(other === undefined ? {} : hostFacts(find(other)!, server.name)),
    ...placesIn(
      routes,
      ({ location, of }) => (of === undefined ? location + 1 : numbers.get(of.location)!),
      (route) => (route.of === undefined ? [] : otherRewrite(find(route.of.host)!, route)),
    ),
  };
}

/** Returns the record of a Location of the Server that has the host at the port itself. */
function otherLocation(
  { name }: Server<FeatureValues>,
  other: Server<FeatureValues>,
  at: number,
  shapes: Shapes,
): Fields<"location"> {
  if (other.redirectFrom?.name === name) return { to: other.name };
  return { ...otherRecord(other, at, shapes), ...(name.startsWith("*.") ? { depth: 1 } : {}) };
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
    ...(rewritesLate(location.features) ? { rewritesLate: 1 } : {}),
    shape,
    ...backendsOf(location, (backend) => shapeOf(backend).name),
    ...filtersOf(location),
    ...settingsOf(server, at, shapes),
    ...(takesPreflights(location) ? { preflights: 1 } : {}),
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
  return {
    ...(standIn === undefined
      ? {}
      : { standIn: { upstream: standIn, shape: shapes.standInOfRoute(location, backends[0]!, server.features).name } }),
    ...(rewriting === undefined ? {} : { rewrite: rewriteOf(rewriting, features) }),
    ...(issuesCookie(features) ? { sticky: stickyOf(server, at) } : {}),
  };
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
  const record = filtersRecord(location.filters, onlyOne(location.backends)?.filters);
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
  const begins = firstBackend(location.filters);
  if (backend !== undefined && begins === undefined) {
    return {
      ...ownOf(backend, unusableStatus),
      ...(shapeOf(backend) === shapeOf(first) ? {} : { shape: shapeOf(backend) }),
    };
  }
  // A backend with the weight 0 gets no new sessions, but existing ones continue. It must not be
  // the last of the list, because the last backend takes the rest.
  const [idle = [], drawn = []] = [0, 1].map((min) => backends.filter(({ weight }) => Math.min(weight, 1) === min));
  const taking = begins === undefined ? drawn : [...idle, ...drawn];
  let sum = 0;
  return {
    backends: taking.map((one, at): Fields<"backend"> => {
      sum += one.weight;
      const own = one.filters === undefined ? undefined : filtersRecord(location.filters, one.filters);
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
