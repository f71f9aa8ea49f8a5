/** Reads the matches of a rule: conditions on a request. */
import { shown } from "../../../kinds/kind.ts";
import { regexMistake } from "../../../kinds/patterns.ts";
import type { Conditions, ValueCondition } from "../../../model/configuration.ts";
import type { HTTPRouteMatch, HTTPRouteRule, ValueMatch } from "../../../model/gateway/objects.ts";
import type { PathMatch } from "../../../table/claim.ts";

export interface ReadMatch {
  /** Below the field of the rule: `.matches[0]`; empty if the rule has no matches. */
  readonly part: string;
  readonly match: PathMatch;
}

export interface MatchMistake {
  readonly part: string;
  readonly why: string;
}

export interface MatchesRead {
  readonly matches: readonly ReadMatch[];
  readonly mistakes: readonly MatchMistake[];
}

/** Reads the matches. A match with a mistake is left out, because it cannot be compared. */
export function matchesOf({ matches }: HTTPRouteRule): MatchesRead {
  return readMatches(matches, mistakeIn, pathMatchOf);
}

/**
 * `mistakeIn` returns why a match cannot be used, and `read` makes a path of one that can. A rule
 * without matches counts as one with an empty match.
 */
export function readMatches<M extends object>(
  matches: readonly M[] = [],
  mistakeIn: (match: M) => MatchMistake | undefined,
  read: (match: M) => PathMatch,
): MatchesRead {
  const mistakes: MatchMistake[] = [];
  const all = matches.length === 0 ? [{} as M] : matches;
  const good = all.flatMap((match, at): ReadMatch[] => {
    const part = matches.length === 0 ? "" : `.matches[${at}]`;
    const mistake = mistakeIn(match);
    if (mistake === undefined) return [{ part, match: read(match) }];
    mistakes.push({ part: `${part}${mistake.part}`, why: mistake.why });
    return [];
  });
  return { matches: good, mistakes };
}

const pathTypes = ["Exact", "PathPrefix", "RegularExpression"];
/** The ways in which values are compared. */
const valueTypes = ["Exact", "RegularExpression"];

function mistakeIn({ path, headers = [], queryParams = [] }: HTTPRouteMatch): MatchMistake | undefined {
  const { type = "PathPrefix", value = "/" } = path ?? {};
  if (!pathTypes.includes(type))
    return { part: ".path.type", why: `${shown(type)} is not one of ${pathTypes.join(", ")}` };
  const bad = type === "RegularExpression" ? regexMistake(value) : undefined;
  if (bad !== undefined) return { part: ".path.value", why: `${shown(value)} is not a regular expression: ${bad}` };
  if (type !== "RegularExpression" && !value.startsWith("/")) {
    return { part: ".path.value", why: `${shown(value)} does not start with a slash` };
  }
  return valueMistake(headers, ".headers") ?? valueMistake(queryParams, ".queryParams");
}

export function valueMistake(values: readonly ValueMatch[], part: string): MatchMistake | undefined {
  for (const [at, { type = "Exact", value }] of values.entries()) {
    if (!valueTypes.includes(type)) {
      return { part: `${part}[${at}].type`, why: `${shown(type)} is not one of ${valueTypes.join(", ")}` };
    }
    const bad = type === "RegularExpression" ? regexMistake(value) : undefined;
    if (bad !== undefined) {
      return { part: `${part}[${at}].value`, why: `${shown(value)} is not a regular expression: ${bad}` };
    }
  }
  return undefined;
}

function pathMatchOf(match: HTTPRouteMatch): PathMatch {
  const { type = "PathPrefix", value = "/" } = match.path ?? {};
  const conditions = conditionsOf(match);
  return {
    text: value,
    type: type === "Exact" ? "exact" : "prefix",
    ...(type === "RegularExpression" ? { pattern: true as const } : {}),
    loose: false,
    ...(conditions === undefined ? {} : { conditions }),
  };
}

function conditionsOf({ method, headers = [], queryParams = [] }: HTTPRouteMatch): Conditions | undefined {
  if (method === undefined && headers.length === 0 && queryParams.length === 0) return undefined;
  return {
    ...(method === undefined ? {} : { method }),
    headers: firstOfEach(headers, (name) => name.toLowerCase()),
    query: firstOfEach(queryParams, (name) => name),
  };
}

/** Returns the first entry of each name, because only that counts. */
export function firstOfEach(
  values: readonly ValueMatch[],
  canonical: (name: string) => string,
): readonly ValueCondition[] {
  const byName = new Map<string, ValueCondition>();
  for (const { type = "Exact", name, value } of values) {
    const key = canonical(name);
    if (!byName.has(key)) byName.set(key, { name: key, type: type === "Exact" ? "exact" : "regex", value });
  }
  return [...byName.values()];
}
