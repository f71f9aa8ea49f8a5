/**
 * Renders a Location of a host without a listener as data, and the facts of its host that only such
 * Locations use.
 */
import { isBackendVariable } from "../../kinds/request-variables.ts";
import { targetVariables } from "../../kinds/rewrite-target.ts";
import type { Alias, Location, Route, Server } from "../../model/configuration.ts";
import { backendOf, closedReason } from "../../model/location.ts";
import { type Fields, recordFields } from "../../model/records.ts";
import { recordOf } from "../../policies/hooks.ts";
import type { FeatureValues } from "../../policies/registry.ts";
import { rewritesAgain, rewritesLate } from "../../policies/rewrite/declaration.ts";
import { numbered } from "../../tokens/pattern-groups.ts";
import { canaryRecord } from "../location/balance-record.ts";
import { hopOf } from "../location/hops.ts";
import { keptBy } from "../location/kept-by.ts";
import { expandable } from "./expandable.ts";
import type { Shapes } from "./shape.ts";

/**
 * Returns the facts of a host that its Locations have in common. `name` is the name by which it is
 * found: its own or one of its aliases.
 */
export function hostFacts(server: Server<FeatureValues>, name = server.name): Fields<"host"> {
  const alias = server.aliases.find((one) => one.name === name);
  return {
    ...tlsFact(alias ?? server),
    ...given<Fields<"host">>({
      root: expandable(server.appRoot ?? ""),
      // The text behind the label that its wildcard stands for.
      parent: name.startsWith("*.") ? name.slice(1) : "",
    }),
  };
}

export function tlsFact({ tlsConfigured }: Pick<Alias, "tlsConfigured">): Fields<"host"> {
  return tlsConfigured ? { tls: 1 } : {};
}

/** Returns what a route's item has beyond its text and place. */
export function rewriteOf({ locations }: Server<FeatureValues>, route: Route): readonly string[] {
  if (!("rewrite" in route) || route.rewrite === undefined) return [];
  const { prefix } = locations[route.of?.location ?? route.location]!.features.backendRequest;
  const sent = prefix === "" ? [] : [expandable(numbered(prefix, route.path), isBackendVariable)];
  return [expandable(route.rewrite, targetVariables(route.rewrite)), ...sent];
}

/** Returns the record of the Location with this index, on a host without a listener. */
export function locationRecord(server: Server<FeatureValues>, at: number, shapes: Shapes): Fields<"location"> {
  const { features: host } = server;
  const location = server.locations[at]!;
  const own = { kept: keptBy(server, at), hop: hopOf(server, at) };
  const { name, variables } = shapes.of(location, host);
  const { upstream } = backendOf(location);
  const all: Fields<"location"> = {
    ...recordOf(location.features),
    shape: name,
    upstream,
    ingress: location.owner?.name,
    ...namesOf(location),
    path: location.path,
    closed: closedReason(location),
    variables: { ...given({ ...own, tls: location.ownTls === true ? "1" : "" }), ...variables },
    canaries: location.canaries.map(canaryRecord),
    standIn: standInRecord(location, host, shapes),
    rewritesLate: location.keepsUri === true ? 0 : lateness(location.features),
  };
  return inFieldOrder(all);
}

/**
 * Returns the names of the backend unless the id of the upstream says the same. decode.lua reads
 * them from that id, and most records of hosts are then small enough for half the shared memory.
 */
function namesOf(location: Location<FeatureValues>): Fields<"location"> {
  const { upstream, service, port } = backendOf(location);
  const namespace = location.owner?.namespace;
  return upstream === `${namespace}/${service}/${port}` ? {} : { namespace, service, port };
}

/** Returns 1 if the text of the location rewrites, and 2 if it changes the path before that. */
function lateness(features: FeatureValues): 0 | 1 | 2 {
  if (!rewritesLate(features)) return 0;
  return rewritesAgain(features) ? 2 : 1;
}

/**
 * Returns the fields without empty ones and in the protocol's order, so that a new version of
 * Sluice does not publish equal records again.
 */
function inFieldOrder(fields: Fields<"location">): Fields<"location"> {
  const ordered: { -readonly [F in keyof Fields<"location">]: unknown } = {};
  recordFields.location.forEach((name) => {
    if (!isEmpty(fields[name])) ordered[name] = fields[name];
  });
  return ordered;
}

function standInRecord(location: Location<FeatureValues>, host: FeatureValues, shapes: Shapes): Fields<"standIn"> {
  if (location.standIn === undefined) return {};
  return { upstream: location.standIn, shape: shapes.standInOf(location, host).name };
}

/**
 * Returns the fields with a value. Empty fields are left out, because there are ten thousand
 * records.
 */
export function given<T extends object>(fields: T): Partial<T> {
  const filled: Partial<T> = {};
  for (const name in fields) if (!isEmpty(fields[name])) filled[name] = fields[name];
  return filled;
}

function isEmpty(value: unknown): boolean {
  if (value === undefined) return true;
  if (typeof value !== "object" || value === null) return value === "" || value === 0;
  for (const _ in value) return false;
  return true;
}
