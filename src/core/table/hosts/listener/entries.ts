/**
 * Sorts the matches of routes on a host of a listener in the order in which a request is compared
 * with them.
 */
import type { Conditions } from "../../../model/configuration.ts";
import type { Problem } from "../../../model/problem.ts";
import type { Claim, ClaimedPath } from "../../claim.ts";
import type { World } from "../../world.ts";
import { pathFault } from "../path-fault.ts";

/**
 * The most patterns of one host. An ordinary host has some hundreds at most, and a request that
 * fits none of them is compared with all.
 */
const mostPatterns = 1_000;

export interface Entry {
  readonly claim: Claim;
  readonly claimed: ClaimedPath;
  /** The decoded path, without a final slash if it is a prefix. */
  readonly path: string;
  /** Exact paths come first, then prefixes, then patterns. */
  readonly rank: 0 | 1 | 2;
}

/** Returns the matches in their order. `key` is the `serverKey` of the host. */
export function orderedEntries(
  key: string,
  claims: readonly Claim[],
  world: World,
  problems: Problem[],
): readonly Entry[] {
  return fewEnough(claims.flatMap((claim) => entriesOf(claim, key, world, problems)).sort(byMatch), problems);
}

function entriesOf(claim: Claim, key: string, world: World, problems: Problem[]): Entry[] {
  return (claim.hosts.get(key) ?? []).flatMap((claimed): Entry[] => {
    const { match, field } = claimed;
    const why = pathFault(match, world.pathsAreText);
    if (why !== undefined) {
      const done = "no request is sent by this match";
      problems.push({ object: claim.owner, kind: "value-unusable", field: `${field}.path.value`, why, done });
      return [];
    }
    const rank = match.pattern === true ? 2 : match.type === "exact" ? 0 : 1;
    const text = rank === 2 ? match.text : decodedPath(match.text);
    return [{ claim, claimed, rank, path: rank === 1 ? text.replace(/\/$/, "") : text }];
  });
}

/** Returns the path as nginx decodes it for a comparison. */
export function decodedPath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** Compares two matches. Matches of one object keep their order. */
export function byMatch(one: Entry, other: Entry): number {
  return (
    one.rank - other.rank ||
    other.path.length - one.path.length ||
    // Lengths of patterns do not count, because two patterns of any length may match the same path.
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

/** Returns the number of characters of a service or method that the path does not contain. */
function partLength(conditions: Conditions | undefined, part: "service" | "method"): number {
  return conditions?.call?.find(({ name }) => name === part)?.value.length ?? 0;
}

export function compared(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

function nameIn({ since: { namespace, name } }: Claim): string {
  return `${namespace}/${name}`;
}

/** Removes matches beyond the limit. Those of the oldest owners stay. */
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
    problems.push({ object: claim.owner, kind: "limit-exceeded", field: `${claimed.field}.path.value`, why, done });
  }
  return entries.filter((entry) => !surplus.has(entry));
}
