/**
 * Makes the common table of a host that a listener and its namesake share, on a port where both get
 * requests. The namesake is the Server of the same name without a listener. The more specific path
 * of the two wins. For equal paths in one namespace, the path with conditions wins, and then
 * `keeps` decides. A condition such as `method: GET` does not help to take the path of another
 * namespace. The implicit path `/` comes after every route and takes the rest.
 */
import { literalPrefix } from "../../../directives/literal-prefix.ts";
import { catchAll, type Route, toNamesake } from "../../../model/configuration.ts";
import { named, type Problem } from "../../../problem.ts";
import type { Claim } from "../../claim.ts";
import type { OwnedPath } from "../../world.ts";
import { isRegexHost, plainRoutes } from "../path-routes.ts";
import { routesOf } from "../routes.ts";
import type { Entry } from "./entries.ts";
import { keeps, type Party } from "./precedence.ts";

export interface CommonTable {
  readonly routes: readonly Route[];
  /** Whether the routes have to be tried in their order. */
  readonly isOrdered: boolean;
  /** Problems of paths on either side that no longer take requests, or not all of them. */
  readonly problems: readonly Problem[];
}

/** A route with the values that decide its place in the order. */
interface Candidate {
  readonly route: Route;
  /** Exact paths come first, then prefixes, then patterns, and at last the implicit path. */
  readonly rank: 0 | 1 | 2 | 3;
  /**
   * The path without a final slash. For a pattern of the namesake it is the text with which all its
   * paths begin.
   */
  readonly text: string;
  readonly side: { readonly entry: Entry } | { readonly draft: OwnedPath };
}

/**
 * Makes the table. `entries` are in their order, with the routes of each. `drafts` are those of the
 * namesake.
 */
export function commonTable(
  name: string,
  entries: readonly (readonly [entry: Entry, routes: readonly Route[]])[],
  drafts: readonly OwnedPath[],
): CommonTable {
  const isOrdered = isRegexHost(drafts.map(({ path }) => path));
  const ours = entries.flatMap(([entry, routes]) =>
    routes.map((route): Candidate => ({ route, rank: entry.rank, text: entry.path, side: { entry } })),
  );
  const theirs = isOrdered ? patternCandidates(drafts) : plainCandidates(drafts);
  const verdicts = new Verdicts(name);
  const routes = isOrdered ? inOneOrder(ours, theirs, verdicts) : byPlace(ours, theirs, verdicts);
  return { routes, isOrdered, problems: verdicts.all };
}

function precedes({ claim: theirs, path }: OwnedPath, { claim, claimed }: Entry): boolean {
  if (theirs === undefined || path.implicit === true) return false;
  const isOwn = theirs.owner.namespace === claim.owner.namespace;
  if (isOwn && claimed.match.conditions !== undefined) return false;
  return keeps(partyOf(theirs), partyOf(claim));
}

function partyOf({ owner: { namespace }, since: { created } }: Claim): Party {
  return { namespace, created };
}

function plainCandidates(drafts: readonly OwnedPath[]): readonly Candidate[] {
  return plainRoutes(drafts.map(({ path }, at) => [at, path] as const)).map(({ path, match, location }): Candidate => {
    const draft = drafts[location]!;
    // nginx adds the slash to a path by itself if no other route has that path.
    const route: Route = { match: match === "prefix" ? "prefix" : "exact", path, location: toNamesake };
    const rank = draft.path.implicit === true ? 3 : draft.path.type === "exact" && match === "exact" ? 0 : 1;
    return { route, rank, text: path.replace(/\/$/, ""), side: { draft } };
  });
}

function patternCandidates(drafts: readonly OwnedPath[]): readonly Candidate[] {
  return routesOf(drafts.map(({ path }) => path)).routes.flatMap((route): Candidate[] => {
    const draft = drafts[route.location]!;
    if (route.match !== "regex") return [];
    const rank = draft.path.implicit === true ? 3 : 1;
    const text = literalPrefix(draft.path.path).replace(/\/$/, "");
    return [{ route: { match: "regex", path: route.path, location: toNamesake }, rank, text, side: { draft } }];
  });
}

/**
 * Puts routes with the same path and kind of match together, in their order. nginx finds the path.
 */
function byPlace(ours: readonly Candidate[], theirs: readonly Candidate[], verdicts: Verdicts): readonly Route[] {
  const placeOf = ({ route }: Candidate) => `${route.match} ${route.path}`;
  const places = Map.groupBy(ours, placeOf);
  const hasPatterns = ours.some(({ route }) => route.match === "pattern");
  for (const theirOne of hasPatterns ? theirs.map(afterPatterns) : theirs) {
    const place = places.get(placeOf(theirOne)) ?? [];
    places.set(placeOf(theirOne), place);
    insert(theirOne, place, verdicts);
  }
  return [...places.values()].flatMap((place) => place.map(({ route }) => route));
}

/**
 * Returns the candidate after all patterns: nginx tries patterns after prefixes, and the implicit
 * path comes after them, too.
 */
function afterPatterns(theirs: Candidate): Candidate {
  if (theirs.rank !== 3) return theirs;
  return { ...theirs, route: { match: "pattern", path: "(?s:.*)", location: toNamesake } };
}

/**
 * Puts all candidates in one order. Patterns of the namesake are placed by their beginning, and
 * patterns of routes come after all prefixes.
 */
function inOneOrder(ours: readonly Candidate[], theirs: readonly Candidate[], verdicts: Verdicts): readonly Route[] {
  const all = ours
    .map((one) => asNamesake(one, theirs))
    .sort((one, other) => one.rank - other.rank || lengthOf(other) - lengthOf(one));
  for (const theirOne of theirs) {
    insert(theirOne, all, verdicts);
  }
  return all.map(({ route }) => route);
}

/**
 * Returns the length that counts. It is 0 for a pattern, whose text does not show how specific it
 * is.
 */
function lengthOf({ rank, text }: Candidate): number {
  return rank === 1 ? text.length : 0;
}

/**
 * Returns a route's pattern as a candidate. With the same text as a path of the namesake, it has
 * the place of that path.
 */
function asNamesake(one: Candidate, theirs: readonly Candidate[]): Candidate {
  if (one.rank !== 2) return one;
  const same = theirs.find(({ side }) => "draft" in side && side.draft.path.path === one.route.path);
  return same === undefined ? one : { ...one, rank: same.rank, text: same.text };
}

/**
 * Whether `one` comes after a candidate of the namesake. The namesake's candidates keep their
 * order.
 */
function comesAfter(one: Candidate, theirs: Candidate): boolean {
  if (one.rank !== theirs.rank) return one.rank > theirs.rank;
  const longer = lengthOf(theirs) - lengthOf(one);
  if (longer !== 0) return longer > 0;
  if (!("entry" in one.side && "draft" in theirs.side)) return false;
  return isSameText(one, theirs) && precedes(theirs.side.draft, one.side.entry);
}

/**
 * Inserts the candidate of the namesake at its place. If two have the same path, it notes which
 * one takes no requests.
 */
function insert(theirs: Candidate, all: Candidate[], verdicts: Verdicts): void {
  const first = indexOr(all, (one) => comesAfter(one, theirs));
  const whole = indexOr(all, (one) => isWhole(one) && comesAfter(one, theirs));
  // A match with conditions that has to come after the path must not move another match that has to
  // come before it.
  const early = all.slice(first, whole).filter((one) => isBeside(one, theirs) && !comesAfter(one, theirs));
  const later = all.slice(first).filter((one) => !early.includes(one));
  const at = first + early.length;
  all.splice(first, all.length - first, ...early, ...later);
  const { side } = theirs;
  if ("draft" in side && theirs.rank < 3 && isMain(theirs, side.draft)) {
    const isRival = (one: Candidate) => one.rank === theirs.rank && isSameText(one, theirs);
    const winner = all.slice(0, at).find((one) => isRival(one) && isWhole(one));
    if (winner !== undefined && "entry" in winner.side) verdicts.lost(side.draft, winner.side.entry);
    else {
      for (const one of all.slice(at)) {
        if (isRival(one) && "entry" in one.side) verdicts.kept(one.side.entry, side.draft);
      }
    }
  }
  all.splice(at, 0, theirs);
}

function indexOr(all: readonly Candidate[], is: (one: Candidate) => boolean): number {
  const found = all.findIndex(is);
  return found < 0 ? all.length : found;
}

/** Whether the candidate comes from a route and has the same path. */
function isBeside(one: Candidate, theirs: Candidate): boolean {
  const isEqual = one.rank === theirs.rank && lengthOf(one) === lengthOf(theirs);
  return "entry" in one.side && isEqual && isSameText(one, theirs);
}

/**
 * Whether this route decides about the path. A path with two routes, `/foo` and everything below
 * `/foo/`, is won or lost by the longer one.
 */
function isMain({ route }: Candidate, { path }: OwnedPath): boolean {
  return route.match !== "exact" || path.type === "exact";
}

function isWhole({ side }: Candidate): boolean {
  return "entry" in side && side.entry.claimed.match.conditions === undefined;
}

/** Whether the texts are equal. Patterns of the namesake ignore case. */
function isSameText(one: Candidate, theirs: Candidate): boolean {
  if (theirs.route.match !== "regex") return true;
  return one.text.toLowerCase() === theirs.text.toLowerCase();
}

class Verdicts {
  readonly #host: string;
  readonly #byText = new Map<string, Problem>();

  constructor(name: string) {
    this.#host = name === catchAll ? "all hosts" : `host ${name}`;
  }

  get all(): readonly Problem[] {
    return [...this.#byText.values()];
  }

  /** Returns the Problem of a draft that loses its path to the entry. */
  lost({ claim, field, path }: OwnedPath, { claim: winner }: Entry): void {
    if (claim === undefined) return;
    const isOwn = claim.owner.namespace === winner.owner.namespace;
    const whose = isOwn ? `${named(winner.owner)} of the same namespace` : `the older ${named(winner.owner)}`;
    const why = `${whose} has path ${path.path} of ${this.#host}, too`;
    const { share = 1 } = winner;
    const part = share === 1 ? "" : `${Math.round(share * 100)} % of `;
    const done = `${part}its requests go there`;
    this.#add({ object: claim.owner, kind: "field-unusable", field, why, by: winner.owner, done });
  }

  /** Returns the Problem of an entry whose path the draft keeps. */
  kept({ claim, claimed }: Entry, { claim: keeper, path }: OwnedPath): void {
    const why = `the older ${named(keeper!.owner)} has path ${path.path} of ${this.#host}`;
    const done = "this match takes no request of it";
    const by = keeper!.owner;
    this.#add({ object: claim.owner, kind: "field-unusable", field: claimed.field, why, by, done });
  }

  #add(problem: Problem): void {
    this.#byText.set(JSON.stringify(problem), problem);
  }
}
