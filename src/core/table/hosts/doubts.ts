/**
 * Finds effects of several Claims, or of several paths, that their authors probably did not intend.
 * They are served as written, and the authors get a Problem.
 */

import { shown, unfilled } from "../../kinds/kind.ts";
import { starAdvice } from "../../kinds/patterns.ts";
import { catchAll, defaultUpstream } from "../../model/configuration.ts";
import { backendOf } from "../../model/location.ts";
import { named, type Problem } from "../../model/problem.ts";
import { unannotated } from "../../policies/read.ts";
import { featureList } from "../../policies/registry.ts";
import { hasPathOfRule } from "../../policies/sessions/declaration.ts";
import type { Settings } from "../../settings/registry.ts";
import type { Claim } from "../claim.ts";
import type { World } from "../world.ts";
import type { Draft } from "./draft.ts";
import { pathFault } from "./path-fault.ts";
import { isRegexHost } from "./path-routes.ts";
import { shownHost } from "./shown-host.ts";

/** Tells most paths apart from patterns and from texts that a tool has to fill in. */
const odd = /[*+?^$()[\]{}|\\<#%]|__|PLACEHOLDER/;

/**
 * Finds paths that look like patterns, or that a tool should have filled in, on a host without
 * regular expressions. `host` is its key in the Claims.
 */
export function literalPatterns(
  host: string,
  claims: readonly Claim[],
  { pathsAreText }: Pick<World, "pathsAreText">,
): Problem[] {
  return claims.flatMap(({ owner: object, hosts }) =>
    (hosts.get(host) ?? []).flatMap(({ field, match }): Problem[] => {
      // An ignored path already has a Problem, which leaves out its line breaks.
      if (match.type === "exact" || pathFault(match, pathsAreText) !== undefined) return [];
      const { text } = match;
      if (!odd.test(text)) return [];
      const hint = unfilled(text);
      if (hint === undefined && !/[*+?^$()[\]{}|\\]/.test(text)) return [];
      const star = starAdvice(text);
      const why =
        hint === undefined
          ? `${text} looks like a regular expression, and use-regex is not true${star === undefined ? "" : ` (${star})`}`
          : `${shown(text)} is not finished: ${hint}`;
      return [{ object, kind: "value-unusable", field: `${field}.path`, why, done: "it is taken letter by letter" }];
    }),
  );
}

/**
 * Reports guards of the oldest Claim: the implicit `/` of a host belongs to it, so its guards hold
 * for paths without a rule (RS-3.6). `satisfy` only combines guards, of which one is named.
 */
export function guardedByOldest(host: string, claims: readonly Claim[], settings: Settings): Problem[] {
  const [oldest, ...others] = claims;
  if (oldest === undefined || others.length === 0) return [];
  const plain = unannotated(settings);
  const guards = featureList.filter(([name, { guard, scope }]) => {
    return guard === true && scope === "location" && name !== "satisfy" && oldest.features[name] !== plain[name];
  });
  return guards.slice(0, 1).map(([, { name }]) => ({
    object: oldest.owner,
    kind: "field-doubtful",
    field: "spec.rules",
    why: `no ${oldest.owner.kind} of host ${host} has the path /, so all paths without a rule get the ${name} of this one, the oldest`,
  }));
}

/**
 * Reports Claims without a path on the host, such as those that only redirect: what they set for
 * paths counts for `/` alone, and `rootOwner` has that (RS-3.6).
 */
export function pathless(host: string, claims: readonly Claim[], rootOwner: Claim, settings: Settings): Problem[] {
  const without = claims.filter((claim) => claim !== rootOwner && claim.hosts.get(host)?.length === 0);
  if (without.length === 0) return [];
  const plain = unannotated(settings);
  return without.flatMap(({ owner: object, features }): Problem[] => {
    const set = featureList.find(([name, { scope }]) => scope === "location" && features[name] !== plain[name]);
    if (set === undefined) return [];
    const why = `its rule for ${host} has no path, and ${named(rootOwner.owner)} has /, so what counts for a path, such as ${set[1].name}, has no effect there`;
    return [{ object, kind: "field-doubtful", field: "spec.rules", why }];
  });
}

/** Reports a cookie whose path is a pattern: browsers never send it back (RS-14.8). */
export function patternAsCookiePath({ owner: object, features }: Claim, field: string): Problem[] {
  if (!features.rewrite.regex || !hasPathOfRule(features)) return [];
  const why = "a regular expression is no Path for the affinity cookie";
  return [{ object, kind: "value-useless", field, why, done: "clients may not send it back; set session-cookie-path" }];
}

/**
 * Returns one Problem for the oldest Claim that makes the paths of others regular expressions
 * (RS-6.2).
 */
export function changedNeighbours(host: string, drafts: readonly Draft[]): Problem[] {
  const namespaces = new Set(drafts.map(({ path }) => path.namespace));
  return [...namespaces].flatMap((one) =>
    changedAmong(
      host,
      drafts.filter(({ path }) => path.namespace === one),
    ),
  );
}

function changedAmong(host: string, drafts: readonly Draft[]): Problem[] {
  const turning = drafts.find(({ claim, path }) => claim !== undefined && isRegexHost([path]))?.claim;
  if (turning === undefined) return [];
  const others = drafts.filter(({ claim, path, location }) => {
    const plain = claim !== undefined && claim !== turning && backendOf(location).upstream !== defaultUpstream;
    // The pattern / covers every path, just as the prefix does.
    return plain && path.path !== "/" && !isRegexHost([path]);
  });
  const neighbours = [...new Set(others.flatMap(({ claim }) => (claim === undefined ? [] : [claim.owner])))];
  if (neighbours.length === 0) return [];
  const key = turning.features.rewrite.regex ? "use-regex" : "rewrite-target";
  return [{ object: turning.owner, kind: "neighbours-changed", key, host: shownHost(host), neighbours }];
}

/** Reports ssl-passthrough if it is turned off, or if it has no name or no Service. */
export function idlePassthrough(
  host: string,
  claims: readonly Claim[],
  drafts: readonly Draft[],
  { sslPassthrough }: Pick<World, "sslPassthrough">,
): Problem[] {
  const why = sslPassthrough
    ? unfitForPassthrough(host, drafts)
    : "the controller runs without --enable-ssl-passthrough";
  if (why === undefined) return [];
  return claims
    .filter(({ features }) => features.sslPassthrough.on)
    .map(({ owner: object }) => ({ object, kind: "annotation-useless", key: "ssl-passthrough", why }));
}

function unfitForPassthrough(host: string, drafts: readonly Draft[]): string | undefined {
  if (host === catchAll) return "a rule without a host has no name that a client could ask TLS for";
  if (host.startsWith("*")) return `TLS passes through for whole names alone, and ${host} is a wildcard`;
  const root = drafts.find(({ path }) => path.path === "/");
  const hasService = root !== undefined && backendOf(root.location).service !== "";
  return hasService ? undefined : `host ${host} has no path /, whose Service would get the connections`;
}
