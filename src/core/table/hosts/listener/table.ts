/**
 * Orders the routes of one host on a listener: those of the listener itself, and, on a port where
 * both get requests, those of its namesake, the Server of the same name without a listener.
 *
 * The longer path comes first. On a host with patterns, a pattern comes before all prefixes of its
 * own namespace, and before a prefix of another namespace only if its literal beginning is longer.
 * If both sides have a path, the namespaces come in the order of their oldest objects with that
 * path, and within a namespace the routes come first. So a condition such as `method: GET` does not
 * help to take the path of another namespace. The implicit path `/` comes last.
 */

import { catchAll, elsewhere, type Route } from "../../../model/configuration.ts";
import type { Owner } from "../../../model/owner.ts";
import { named, type Problem } from "../../../model/problem.ts";
import { literalPrefix } from "../../../tokens/literal-prefix.ts";
import type { Namesake, OwnedPath } from "../../world.ts";
import { isRegexHost, plainRoutes } from "../path-routes.ts";
import { routesOf } from "../routes.ts";
import { compared, type Entry } from "./entries.ts";

export interface HostTable {
  /** In the order in which they have to be tried, on a host with patterns. */
  readonly routes: readonly Route[];
  /** Problems of paths on either side that take no requests, or not all of them. */
  readonly problems: readonly Problem[];
}

/** A route with the values that decide its place in the order. */
interface Candidate {
  readonly route: Route;
  /**
   * Exact paths, prefixes and their bare paths, patterns, and the implicit path. A pattern of the
   * namesake takes everything below its beginning, so it counts as a prefix.
   */
  readonly kind: "exact" | "prefix" | "pattern" | "implicit";
  /** The path without a final slash, or the literal beginning of a pattern. */
  readonly text: string;
  /** The namespace of its owner; undefined if it has none. */
  readonly namespace: string | undefined;
  readonly side: { readonly entry: Entry } | { readonly draft: OwnedPath };
}

/**
 * Makes the table. `entries` are in the order of the specification, with the routes of each.
 */
export function hostTable(
  name: string,
  entries: readonly (readonly [entry: Entry, routes: readonly Route[]])[],
  namesake: Pick<Namesake, "host" | "paths"> | undefined,
): HostTable {
  const hasRegexes = namesake !== undefined && isRegexHost(namesake.paths.map(({ path }) => path));
  const theirs = namesake === undefined ? [] : hasRegexes ? regexCandidates(namesake) : plainCandidates(namesake);
  const ours = entries.flatMap(([entry, routes]) => routes.map((route) => asNamesake(ofEntry(entry, route), theirs)));
  const all = [...ours, ...theirs];
  // Patterns of the namesake ignore case, so all paths of the host are compared without it.
  const groups = new Groups(hasRegexes ? all.map((one) => ({ ...one, text: one.text.toLowerCase() })) : all);
  const isOrdered = hasRegexes || entries.some(([{ rank }]) => rank === 2);
  const order = isOrdered ? inOneOrder(groups) : byKind(groups);
  const host = name === catchAll ? "all hosts" : `host ${name}`;
  const problems = [
    ...groups.all.flatMap((group) => verdicts(group, host)),
    ...(isOrdered ? covered(order, host) : []),
  ];
  const distinct = new Map(problems.map((problem) => [JSON.stringify(problem), problem]));
  return { routes: order.map(({ route }) => route), problems: [...distinct.values()] };
}

const kinds = ["exact", "prefix", "pattern", "implicit"] as const;

function ofEntry(entry: Entry, route: Route): Candidate {
  const { rank, path, claim } = entry;
  const text = rank === 2 ? beginning(path) : path;
  return { route, kind: kinds[rank], text, namespace: claim.owner.namespace, side: { entry } };
}

const beginning = (pattern: string): string => literalPrefix(pattern).replace(/\/$/, "");

/** Makes the candidate for a route of the namesake. */
function ofNamesake(
  { host, paths }: Pick<Namesake, "host" | "paths">,
  route: Route,
  kind: Candidate["kind"],
  text: string,
): Candidate {
  const draft = paths[route.location]!;
  const namespace = draft.claim?.owner.namespace;
  const own: Route = { ...route, location: elsewhere, of: { host, location: route.location } };
  return { route: own, kind: draft.path.implicit === true ? "implicit" : kind, text, namespace, side: { draft } };
}

function plainCandidates(namesake: Pick<Namesake, "host" | "paths">): readonly Candidate[] {
  const { paths } = namesake;
  const routes = plainRoutes(paths.map(({ path }, at) => [at, path] as const));
  // A shorter prefix would take a path to which a slash has to be added.
  const prefixesLast = routes.toSorted((a, b) => Number(a.match === "prefix") - Number(b.match === "prefix"));
  return prefixesLast.map((route) => {
    const isExact = route.match === "exact" && paths[route.location]!.path.type === "exact";
    return ofNamesake(namesake, route, isExact ? "exact" : "prefix", route.path.replace(/\/$/, ""));
  });
}

function regexCandidates(namesake: Pick<Namesake, "host" | "paths">): readonly Candidate[] {
  const { paths } = namesake;
  return routesOf(paths.map(({ path }) => path)).routes.map((route) => {
    const text = route.match === "slash" ? route.path : beginning(paths[route.location]!.path.path);
    return ofNamesake(namesake, route, "prefix", text);
  });
}

/** Returns a pattern with the same text as a path of the namesake as an equal of that path. */
function asNamesake(one: Candidate, theirs: readonly Candidate[]): Candidate {
  if (one.kind !== "pattern") return one;
  const same = theirs.find(({ side }) => "draft" in side && side.draft.path.path === one.route.path);
  return same === undefined ? one : { ...one, kind: same.kind, text: same.text };
}

const isNamesakes = ({ side }: Candidate): boolean => "draft" in side;

/** Candidates in groups with equal paths. */
class Groups {
  /** The groups, each in its order. */
  readonly all: readonly (readonly Candidate[])[];
  /** The candidates in the order in which they were given. */
  readonly given: readonly Candidate[];
  readonly #groupOf = new Map<Candidate, readonly Candidate[]>();

  constructor(given: readonly Candidate[]) {
    this.given = given;
    const groups = Map.groupBy(given, ({ kind, text, route }) => `${kind} ${kind === "pattern" ? route.path : text}`);
    this.all = [...groups.values()].map(inGroupOrder);
    for (const group of this.all) for (const one of group) this.#groupOf.set(one, group);
  }

  /** Compares the places of two candidates in their group; undefined if their paths differ. */
  compare(one: Candidate, other: Candidate): number | undefined {
    const group = this.#groupOf.get(one)!;
    if (group !== this.#groupOf.get(other)) return undefined;
    return group.indexOf(one) - group.indexOf(other);
  }
}

/** Sorts candidates with equal paths. Those of one side are sorted already. */
function inGroupOrder(group: readonly Candidate[]): readonly Candidate[] {
  if (group.length === 1 || !group.some(isNamesakes)) return group;
  const places = new Map<string | undefined, string>();
  for (const one of group) {
    const created = ("draft" in one.side ? one.side.draft.claim : one.side.entry.claim)?.since.created ?? "";
    // With equal ages the object of the namesake decides.
    const place = `${created} ${isNamesakes(one) ? 0 : 1} ${one.namespace}`;
    const known = places.get(one.namespace);
    if (known === undefined || place < known) places.set(one.namespace, place);
  }
  return group.toSorted(
    (one, other) =>
      compared(places.get(one.namespace)!, places.get(other.namespace)!) ||
      Number(isNamesakes(one)) - Number(isNamesakes(other)),
  );
}

/** Sorts by kind. nginx finds the path, so only the order of those with the same path counts. */
function byKind({ all }: Groups): readonly Candidate[] {
  return all.toSorted(([one], [other]) => kinds.indexOf(one!.kind) - kinds.indexOf(other!.kind)).flat();
}

/** Puts all candidates in one order: first those of the namesake, whose order stays. */
function inOneOrder(groups: Groups): readonly Candidate[] {
  const order = groups.given.filter(isNamesakes);
  for (const one of groups.given) {
    if (isNamesakes(one)) continue;
    const least = order.findLastIndex((other) => precedes(other, one, groups)) + 1;
    const natural = order.findIndex((other) => precedes(one, other, groups));
    const at = Math.max(least, natural < 0 ? order.length : natural);
    order.splice(at, 0, one);
    if (natural >= 0 && natural < at) moveBehind(order, natural, at, groups);
  }
  return order;
}

/**
 * Moves candidates between `from` and `at` behind the one at `at`, which has to precede them but
 * had to come after another namespace's. Those that precede one in between stay.
 */
function moveBehind(order: Candidate[], from: number, at: number, groups: Groups): void {
  const one = order[at]!;
  for (let place = at - 1; place >= from; place--) {
    const other = order[place]!;
    if (isNamesakes(other) || !precedes(one, other, groups)) continue;
    const end = order.indexOf(one);
    if (order.slice(place + 1, end).some((between) => precedes(other, between, groups))) continue;
    order.splice(end + 1, 0, other);
    order.splice(place, 1);
  }
}

/** Whether a path may fit both, and one candidate has to be tried before the other. */
function precedes(one: Candidate, other: Candidate, groups: Groups): boolean {
  if (one.kind === "implicit" || other.kind === "implicit") return one.kind !== "implicit";
  if (!one.text.startsWith(other.text) && !other.text.startsWith(one.text)) return false;
  const inGroup = groups.compare(one, other);
  if (inGroup !== undefined) return inGroup < 0;
  if (one.kind === "exact" || other.kind === "exact") return other.kind !== "exact";
  const longer = one.text.length - other.text.length;
  if (one.kind === other.kind) return one.kind === "prefix" ? longer > 0 : isFirst(groups, one, other);
  if (one.namespace === other.namespace) return one.kind === "pattern";
  return one.kind === "pattern" ? longer > 0 : longer >= 0;
}

/** Patterns of routes are sorted: the longest text comes first. */
function isFirst({ given }: Groups, one: Candidate, other: Candidate): boolean {
  return given.indexOf(one) < given.indexOf(other);
}

/** Returns the Problems of objects whose path another object has. */
function verdicts(group: readonly Candidate[], host: string): readonly Problem[] {
  return group.flatMap((theirs, at): readonly Problem[] => {
    const { side } = theirs;
    if (!("draft" in side) || theirs.kind === "implicit" || !isMain(theirs, side.draft)) return [];
    const winner = group.slice(0, at).find(isWhole);
    if (winner !== undefined && "entry" in winner.side) return lost(side.draft, winner.side.entry, host);
    const later = group.slice(at + 1).flatMap((one) => ("entry" in one.side ? [one.side.entry] : []));
    return later.map((entry) => kept(entry, side.draft, host));
  });
}

/**
 * Whether this route decides about the path. A path with two routes, `/foo` and everything below
 * `/foo/`, is won or lost by the longer one.
 */
function isMain({ route }: Candidate, { path }: OwnedPath): boolean {
  return (route.match !== "exact" && route.match !== "slash") || path.type === "exact";
}

function isWhole({ side }: Candidate): boolean {
  return "entry" in side && side.entry.claimed.match.conditions === undefined;
}

/** Returns the Problem of a path of the namesake that the entry takes. */
function lost({ claim, field, path }: OwnedPath, { claim: winner }: Entry, host: string): readonly Problem[] {
  if (claim === undefined) return [];
  const isOwn = claim.owner.namespace === winner.owner.namespace;
  const whose = isOwn ? `${named(winner.owner)} of the same namespace` : `the older ${named(winner.owner)}`;
  const why = `${whose} has path ${path.path} of ${host}, too`;
  const { share = 1 } = winner;
  const part = share === 1 ? "" : `${Math.round(share * 100)} % of `;
  const done = `${part}its requests go there`;
  return [{ object: claim.owner, kind: "claim-lost", field, why, by: winner.owner, done }];
}

/** Returns the Problem of an entry whose path the namesake keeps. */
function kept({ claim, claimed }: Entry, { claim: keeper, path }: OwnedPath, host: string): Problem {
  const why = `the older ${named(keeper!.owner)} has path ${path.path} of ${host}`;
  const done = "this match takes no request of it";
  const by = keeper!.owner;
  return { object: claim.owner, kind: "claim-lost", field: claimed.field, why, by, done };
}

/** Returns the Problems of matches that take no request, because earlier ones take all of it. */
function covered(order: readonly Candidate[], host: string): readonly Problem[] {
  const problems = new Map<Entry, Problem | undefined>();
  order.forEach((one, at) => {
    if (!("entry" in one.side) || one.kind === "exact") return;
    const { claim, claimed } = one.side.entry;
    const first = order.findIndex((other) => covers(other, one));
    const [winner] = first < 0 || first >= at ? [] : partiesOf(order[first]!);
    // A prefix has two routes.
    if (winner === undefined) problems.set(one.side.entry, undefined);
    if (winner === undefined || problems.has(one.side.entry)) return;
    const why = `${winner.owner === claim.owner ? winner.field : named(winner.owner)} takes all requests of it for ${host}`;
    const done = "this match takes no request";
    problems.set(one.side.entry, { object: claim.owner, kind: "claim-lost", field: claimed.field, why, done });
  });
  return [...problems.values()].filter((problem) => problem !== undefined);
}

function partiesOf({ side }: Candidate): readonly { readonly owner: Owner; readonly field: string }[] {
  const { claim, field } = "draft" in side ? side.draft : { claim: side.entry.claim, field: side.entry.claimed.field };
  return claim === undefined ? [] : [{ owner: claim.owner, field }];
}

/**
 * Whether every path that fits the later candidate fits the earlier one of another object or rule,
 * and no condition or share leaves a request to the later one.
 */
function covers(earlier: Candidate, later: Candidate): boolean {
  if (earlier.kind === "implicit") return false;
  if ("entry" in earlier.side && (!isWhole(earlier) || earlier.side.entry.claim.share !== undefined)) return false;
  const { match, path } = earlier.route;
  if (match === "pattern" || match === "regex") return /^\/?\(?\.\*\)?\$?$/.test(path) && later.side !== earlier.side;
  return (
    match === "prefix" && later.kind === "pattern" && `/${literalPrefix(later.route.path).slice(1)}`.startsWith(path)
  );
}
