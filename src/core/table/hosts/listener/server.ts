/**
 * Builds the Server of one host on a listener of a Gateway, by the rules of the Gateway API: first
 * the path decides, then the method, the number of headers and of query parameters, then the age of
 * the route. It has no implicit paths and no further names. Rules of HTTPRoutes and GRPCRoutes
 * share one order. The host's namesake may have paths on the same port.
 */

import { type Conditions, catchAll, type Location, type Route, type Server } from "../../../model/configuration.ts";
import { partsOf } from "../../../model/listeners.ts";
import { named, type Problem } from "../../../model/problem.ts";
import { mirrorsIn } from "../../../policies/mirror/record.ts";
import { withServerValues } from "../../../policies/on-routes.ts";
import type { FeatureValues } from "../../../policies/registry.ts";
import { numbered } from "../../../tokens/pattern-groups.ts";
import type { Claim } from "../../claim.ts";
import { standInOf, standInUse } from "../../upstreams/backend-uses.ts";
import type { UpstreamUse } from "../../upstreams/balance.ts";
import type { World } from "../../world.ts";
import { asksForTimes } from "../draft.ts";
import type { BuiltServer } from "../server.ts";
import { withAppRoot } from "./app-root.ts";
import { compared, type Entry, orderedEntries } from "./entries.ts";
import { hostTable } from "./table.ts";

/** Builds the Server. `key` is the `serverKey` of the host. */
export function listenerServer(key: string, claims: readonly Claim[], world: World): BuiltServer {
  const problems: Problem[] = [];
  const ordered = withAppRoot(withoutTwins(orderedEntries(key, claims, world, problems)), problems);
  const [first] = claims;
  if (first === undefined || ordered.length === 0) return { server: undefined, uses: [], secrets: [], problems };
  const { name } = partsOf(key);
  const unmet = unmetProblems(ordered, partsOf(key));
  const own = ordered.map((entry, at) => [entry, routesOf(entry, at)] as const);
  const namesake = world.namesakeOf(key);
  const { routes, problems: verdicts } = hostTable(name, own, namesake);
  const contested = [...unmet, ...(namesake?.isApart ? claims.map((claim) => keptApart(claim, name)) : verdicts)];
  problems.push(...contested);
  const server = plainServer(key, {
    locations: ordered.map(locationOf),
    routes,
    features: withServerValues(first.features, ordered[0]!.claimed.features ?? first.features),
  });
  return { server, uses: usesOf(ordered), secrets: [], problems, contested };
}

/** Returns the entries of routes for the host; if there are none, that of the oldest twin. */
function withoutTwins(entries: readonly Entry[]): readonly Entry[] {
  if (entries.every(({ claimed }) => claimed.isTwin !== true)) return entries;
  const own = entries.filter(({ claimed }) => claimed.isTwin !== true);
  return own.length > 0 ? own : entries.slice(0, 1);
}

type Parts = Pick<Server<FeatureValues>, "locations" | "routes" | "features">;

/** Returns a Server without settings for its host as a whole. */
export function plainServer(key: string, parts: Parts): Server<FeatureValues> {
  return {
    ...partsOf(key),
    aliases: [],
    redirectFrom: undefined,
    certificate: undefined,
    tlsConfigured: false,
    appRoot: undefined,
    ...parts,
  };
}

/**
 * Reports the matches of each Claim that take no request of the host, because an equal match comes
 * before them. Only an equal match can have this effect, because a match with more conditions comes
 * first.
 */
function unmetProblems(ordered: readonly Entry[], { listener, name }: ReturnType<typeof partsOf>): Problem[] {
  const firsts = new Map<string, Entry>();
  const unmet = new Map<Claim, { readonly field: string; readonly first: Entry; count: number }>();
  for (const entry of ordered) {
    const { claim, claimed, rank, path } = entry;
    const key = JSON.stringify([rank, path, sorted(claimed.match.conditions)]);
    const first = firsts.get(key);
    const known = unmet.get(claim);
    if (first === undefined) firsts.set(key, entry);
    else if (known !== undefined) known.count++;
    else unmet.set(claim, { field: claimed.field, first, count: 1 });
  }
  return [...unmet].map(([{ owner: object }, { field, first, count }]): Problem => {
    const { owner } = first.claim;
    const isOwn = owner.kind === object.kind && owner.namespace === object.namespace && owner.name === object.name;
    const whose = isOwn ? first.claimed.field : `the older ${named(owner)}`;
    const host = name === catchAll ? "all hosts" : `host ${name}`;
    const more = count === 1 ? "" : `, and ${count - 1} more of its matches`;
    const where = listener === undefined ? "" : ` on listener ${listener}`;
    const why = `${whose} has the same match for ${host}${where}`;
    return { object, kind: "claim-lost", field, why, done: `this match${more} takes no request` };
  });
}

function sorted(conditions: Conditions | undefined): unknown {
  if (conditions === undefined) return undefined;
  const byName = (some: Conditions["headers"]) => some.toSorted((one, other) => compared(one.name, other.name));
  const { method, headers, query, call } = conditions;
  return [method, byName(headers), byName(query), call && byName(call)];
}

function keptApart({ owner: object }: Claim, name: string): Problem {
  const why = `host ${name} has a server block of its own, because its older objects need one, for example for client certificates`;
  const done = "the route takes no request of it on their ports";
  return { object, kind: "claim-lost", field: "spec.hostnames", why, done };
}

export function locationOf({ claim, claimed }: Entry): Location<FeatureValues> {
  const { owner, uid, share } = claim;
  const { match, backends, filters, unusableStatus, rule, authors, ownTls } = claimed;
  const { features = claim.features, closed = claim.closed } = claimed;
  return {
    path: match.text,
    owner,
    ownerUid: uid,
    backends,
    features,
    ...(filters === undefined ? {} : { filters }),
    ...(unusableStatus === undefined ? {} : { unusableStatus }),
    ...(rule === undefined ? {} : { rule }),
    ...(authors === undefined ? {} : { authors }),
    ...(ownTls === undefined ? {} : { ownTls }),
    ...(share === undefined ? {} : { share }),
    standIn: standInFor(features),
    canaries: [],
    timed: asksForTimes(features),
    closed,
  };
}

/**
 * Returns the routes of an entry. The prefix `/foo` covers the path itself and everything below
 * `/foo/`.
 */
export function routesOf({ path, rank, claim, claimed }: Entry, location: number): Route[] {
  const { match, features = claim.features } = claimed;
  const { target } = features.rewrite;
  const more = {
    location,
    ...(match.conditions === undefined ? {} : { conditions: match.conditions }),
    ...(target === "" || target === match.text ? {} : { rewrite: numbered(target, rank === 2 ? path : "") }),
  };
  if (rank === 2) return [{ match: "pattern", path, ...more }];
  if (rank === 0) return [{ match: "exact", path, ...more }];
  const below: Route = { match: "prefix", path: `${path}/`, ...more };
  return path === "" ? [below] : [{ match: "exact", path, ...more }, below];
}

function usesOf(entries: readonly Entry[]): UpstreamUse[] {
  const uses = new Map<string, UpstreamUse>();
  for (const { claim: whole, claimed } of entries) {
    // A backend with its own balancing has an Upstream id of its own.
    const claim = claimed.features === undefined ? whole : { ...whole, features: claimed.features };
    const standIn = standInUse(claim);
    if (standIn !== undefined) {
      const id = standInFor(claim.features)!;
      uses.set(`${id} ${claim.key}`, { ...standIn, id, claim: whole });
    }
    for (const { upstream: id, key: service, port, unusable } of claimed.backends) {
      if (unusable !== undefined) continue;
      const use: UpstreamUse = { id, service, port, claim, asDefault: false, relieves: undefined, byNumber: true };
      if (!uses.has(`${id} ${claim.key}`)) uses.set(`${id} ${claim.key}`, use);
    }
    const filters = [claimed.filters, ...claimed.backends.map((backend) => backend.filters)];
    for (const { upstream: id } of filters.flatMap((one = {}) => [
      ...mirrorsIn(one),
      ...(one.auth ? [one.auth] : []),
    ])) {
      const { service, port } = upstreamParts(id);
      const use: UpstreamUse = { id, service, port, claim, asDefault: false, relieves: undefined, byNumber: true };
      if (!uses.has(`${id} ${claim.key}`)) uses.set(`${id} ${claim.key}`, use);
    }
  }
  return [...uses.values()];
}

/**
 * Returns the Upstream of the Service that stands in. It is separate from the Upstream of the same
 * Service on other ports, which annotations may balance.
 */
function standInFor(features: FeatureValues): string | undefined {
  const id = standInOf(features);
  return id && `${id} for routes`;
}

/** Returns the Service and port in the id of an Upstream. */
function upstreamParts(id: string): { readonly service: string; readonly port: string } {
  const [namespace, name, rest = ""] = id.split("/");
  return { service: `${namespace}/${name}`, port: rest.split(" ")[0]! };
}
