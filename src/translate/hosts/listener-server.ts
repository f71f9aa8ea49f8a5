/**
 * The Server of one host on a listener of a Gateway, by the rules of the Gateway API: the path decides first, then the method, the
 * number of headers and of query parameters, then the oldest route. There is no path that nobody wrote, and no name beside its own.
 * Rules of HTTPRoutes and GRPCRoutes stand in one order.
 */
import type { FeatureValues } from "../../annotations/registry.ts";
import { type Conditions, catchAll, type Location, type Route, type Server } from "../../model/configuration.ts";
import { partsOf } from "../../model/listeners.ts";
import { named, type Problem } from "../../problem.ts";
import type { Claim, ClaimedPath } from "../claim.ts";
import type { UpstreamUse } from "../upstreams/balance.ts";
import type { World } from "../world.ts";
import { asksForTimes } from "./draft.ts";
import { pathFault } from "./path-fault.ts";
import type { BuiltServer } from "./server.ts";

/** Patterns of one host. Some hundreds are honest; a request that none of them takes tries them all. */
const mostPatterns = 1_000;

interface Entry {
  readonly claim: Claim;
  readonly claimed: ClaimedPath;
  /** The path without a slash at its end where it is a prefix, and without escapes. */
  readonly path: string;
  readonly rank: 0 | 1 | 2;
}

/** `key` is the `serverKey` of the host. */
export function listenerServer(key: string, claims: readonly Claim[], world: World): BuiltServer {
  const problems: Problem[] = [];
  const ordered = fewEnough(claims.flatMap((claim) => entriesOf(claim, key, world, problems)).sort(before), problems);
  const [first] = claims;
  if (first === undefined || ordered.length === 0) return { server: undefined, uses: [], secrets: [], problems };
  const { listener, name } = partsOf(key);
  problems.push(...unmetProblems(ordered, partsOf(key)));
  const server: Server<FeatureValues> = {
    ...(listener === undefined ? {} : { listener }),
    name,
    aliases: [],
    redirectFrom: undefined,
    certificate: undefined,
    tlsConfigured: false,
    appRoot: undefined,
    locations: ordered.map(locationOf),
    routes: ordered.flatMap(routesOf),
    features: first.features,
  };
  return { server, uses: usesOf(ordered), secrets: [], problems };
}

function entriesOf(claim: Claim, key: string, world: World, problems: Problem[]): Entry[] {
  return (claim.hosts.get(key) ?? []).flatMap((claimed): Entry[] => {
    const { match, field } = claimed;
    const why = pathFault(match, world.pathsAreText);
    if (why !== undefined) {
      const done = "no request is sent by this match";
      problems.push({ object: claim.owner, kind: "field-unusable", field: `${field}.path.value`, why, done });
      return [];
    }
    const rank = match.pattern === true ? 2 : match.type === "exact" ? 0 : 1;
    const text = rank === 2 ? match.text : decoded(match.text);
    return [{ claim, claimed, rank, path: rank === 1 ? text.replace(/\/$/, "") : text }];
  });
}

/** Paths are compared as nginx decodes them. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** Matches of one object come in the order in which they stand there. */
function before(one: Entry, other: Entry): number {
  return (
    one.rank - other.rank ||
    other.path.length - one.path.length ||
    // Two patterns of one length may take the same path: then the other criteria decide.
    (one.rank === 2 ? 0 : compared(one.path, other.path)) ||
    byConditions(one.claimed.match.conditions, other.claimed.match.conditions) ||
    compared(one.claim.since.created, other.claim.since.created) ||
    compared(nameIn(one.claim), nameIn(other.claim))
  );
}

function byConditions(one: Conditions | undefined, other: Conditions | undefined): number {
  return (
    partLength(other, "service") - partLength(one, "service") ||
    partLength(other, "method") - partLength(one, "method") ||
    Number(other?.method !== undefined) - Number(one?.method !== undefined) ||
    (other?.headers.length ?? 0) - (one?.headers.length ?? 0) ||
    (other?.query.length ?? 0) - (one?.query.length ?? 0)
  );
}

/** Characters of a service or method that the path alone does not say. */
function partLength(conditions: Conditions | undefined, part: "service" | "method"): number {
  return conditions?.call?.find(({ name }) => name === part)?.value.length ?? 0;
}

function compared(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

function nameIn({ since: { namespace, name } }: Claim): string {
  return `${namespace}/${name}`;
}

/** Those of the oldest owners stay. */
function fewEnough(entries: readonly Entry[], problems: Problem[]): readonly Entry[] {
  const patterns = entries.filter(({ rank }) => rank === 2);
  if (patterns.length <= mostPatterns) return entries;
  const byAge = patterns.toSorted(
    (one, other) =>
      compared(one.claim.since.created, other.claim.since.created) || compared(nameIn(one.claim), nameIn(other.claim)),
  );
  const surplus = new Set(byAge.slice(mostPatterns));
  for (const { claim, claimed } of surplus) {
    const why = `the host has more than ${mostPatterns} regular expressions, and each request may be compared with all`;
    const done = "no request is sent by this match";
    problems.push({ object: claim.owner, kind: "field-unusable", field: `${claimed.field}.path.value`, why, done });
  }
  return entries.filter((entry) => !surplus.has(entry));
}

/**
 * Says of each Claim which of its matches takes no request of the host, because an equal one comes first. Another match of one path
 * never takes all requests of a later one, because what asks for more comes first.
 */
function unmetProblems(ordered: readonly Entry[], { listener, name }: ReturnType<typeof partsOf>): Problem[] {
  const firsts = new Map<string, Entry>();
  const unmet = new Map<Claim, { readonly field: string; readonly first: Entry; count: number }>();
  for (const entry of ordered) {
    const { claim, claimed, rank, path } = entry;
    const key = JSON.stringify([rank, path, sorted(claimed.match.conditions)]);
    const first = firsts.get(key);
    const told = unmet.get(claim);
    if (first === undefined) firsts.set(key, entry);
    else if (told !== undefined) told.count++;
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
    return { object, kind: "field-unusable", field, why, done: `this match${more} takes no request` };
  });
}

function sorted(conditions: Conditions | undefined): unknown {
  if (conditions === undefined) return undefined;
  const byName = (some: Conditions["headers"]) => some.toSorted((one, other) => compared(one.name, other.name));
  const { method, headers, query, call } = conditions;
  return [method, byName(headers), byName(query), call && byName(call)];
}

function locationOf({ claim, claimed }: Entry): Location<FeatureValues> {
  const { owner, uid, features, closed } = claim;
  const { match, backends, filters, timeouts, retries, unusableStatus, rule } = claimed;
  return {
    path: match.text,
    owner,
    ownerUid: uid,
    backends,
    features,
    ...(filters === undefined ? {} : { filters }),
    ...(timeouts === undefined ? {} : { timeouts }),
    ...(retries === undefined ? {} : { retries }),
    ...(unusableStatus === undefined ? {} : { unusableStatus }),
    ...(rule === undefined ? {} : { rule }),
    standIn: undefined,
    canaries: [],
    timed: asksForTimes(features),
    closed,
  };
}

/** The prefix `/foo` is the path itself and all below `/foo/`. */
function routesOf({ path, rank, claimed: { match } }: Entry, location: number): Route[] {
  const more = { location, ...(match.conditions === undefined ? {} : { conditions: match.conditions }) };
  if (rank === 2) return [{ match: "pattern", path, ...more }];
  if (rank === 0) return [{ match: "exact", path, ...more }];
  const below: Route = { match: "prefix", path: `${path}/`, ...more };
  return path === "" ? [below] : [{ match: "exact", path, ...more }, below];
}

function usesOf(entries: readonly Entry[]): UpstreamUse[] {
  const uses = new Map<string, UpstreamUse>();
  for (const { claim, claimed } of entries) {
    for (const { upstream: id, key: service, port, unusable } of claimed.backends) {
      if (unusable !== undefined) continue;
      const use: UpstreamUse = { id, service, port, claim, asDefault: false, relieves: undefined, byNumber: true };
      if (!uses.has(`${id} ${claim.key}`)) uses.set(`${id} ${claim.key}`, use);
    }
    const filters = [claimed.filters, ...claimed.backends.map((backend) => backend.filters)];
    for (const { upstream: id } of filters.flatMap((one) => [
      ...(one?.mirrors ?? []),
      ...(one?.auth ? [one.auth] : []),
    ])) {
      const { service, port } = upstreamParts(id);
      const use: UpstreamUse = { id, service, port, claim, asDefault: false, relieves: undefined, byNumber: true };
      if (!uses.has(`${id} ${claim.key}`)) uses.set(`${id} ${claim.key}`, use);
    }
  }
  return [...uses.values()];
}

/** The Service and port in the id of an Upstream. */
function upstreamParts(id: string): { readonly service: string; readonly port: string } {
  const [namespace, name, rest = ""] = id.split("/");
  return { service: `${namespace}/${name}`, port: rest.split(" ")[0]! };
}
