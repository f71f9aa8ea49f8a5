/** Applies RouteSettings to the paths of a route on one listener. */

import type { Problem } from "../../../model/problem.ts";
import { type FeatureValues, featureList } from "../../../policies/registry.ts";
import { firstBackend } from "../../../policies/sessions/record.ts";
import type { ClaimedPath } from "../../../table/claim.ts";
import { shortHash } from "../../../tokens/short-hash.ts";
import type { Effective } from "./effective.ts";
import { closed as done } from "./reading.ts";

export interface Applied {
  /** The paths with their settings. It is the same list if no settings apply. */
  readonly paths: readonly ClaimedPath[];
  /** Guards that cannot hold together, and values that cannot be served. */
  readonly conflicts: readonly Problem[];
}

export interface RouteSurroundings {
  /** The features of a route without settings. */
  readonly plain: FeatureValues;
  /** Whether the Gateway has a listener with TLS that has hosts in common with this one. */
  readonly hasTls: boolean;
}

/** `effective` returns the settings that apply to a path. */
export function withSettings(
  paths: readonly ClaimedPath[],
  { plain, hasTls }: RouteSurroundings,
  effective: (path: ClaimedPath) => Effective | undefined,
): Applied {
  const conflicts: Problem[] = [];
  const settled = paths.map((path) => {
    const found = effective(path);
    if (found === undefined) return path;
    const { closed, authors } = found;
    const features = strictlySatisfied(path, found.features);
    const conflict = found.conflict ?? twoServices(path, features, authors[0]!);
    const reported = [...(conflict === undefined ? [] : [conflict]), ...(found.unserved ?? [])];
    conflicts.push(...new Set(reported));
    const shut = closed ?? conflict;
    const backends = balancedApart(path, features, plain);
    return {
      ...path,
      backends,
      features,
      authors,
      ...(shut === undefined ? {} : { closed: shut }),
      ...(hasTls && features.sslRedirect.whenConfigured ? { ownTls: true as const } : {}),
    };
  });
  return { paths: settled.every((path, at) => path === paths[at]) ? paths : settled, conflicts };
}

/**
 * Returns the conflict of a path with two auth services. nginx can use only one for each request,
 * and that of a filter replaces the operator's.
 */
function twoServices({ filters, field }: ClaimedPath, { externalAuth }: FeatureValues, object: Problem["object"]) {
  const isAsked = externalAuth.kind === "ask" && externalAuth.question.by === "ingress";
  if (filters?.auth === undefined || !isAsked) return undefined;
  const other = `the filter ExternalAuth of ${field}`;
  return { object, kind: "settings-conflict", field: "spec.auth-url", with: other, done } as const;
}

/** All filters but these are applied by Lua in nginx's access phase, where all guards run. */
const isApart = (filter: string): boolean => ["redirect", "rewrite", "timeouts"].includes(filter);

/**
 * Returns the features with `satisfy: all` if Lua runs in the access phase. nginx counts that
 * Lua as a guard that every request satisfies, so with `any` no real guard would have an effect.
 */
function strictlySatisfied({ filters, backends }: ClaimedPath, features: FeatureValues): FeatureValues {
  if (features.satisfy.checks === "all") return features;
  const all = [filters, ...backends.map((backend) => backend.filters)];
  const isFollowed = all.some((one) => Object.keys(one ?? {}).some((name) => !isApart(name)));
  return isFollowed ? { ...features, satisfy: { checks: "all" } } : features;
}

const balancing = featureList.flatMap(([name, { scope }]) => (scope === "upstream" ? [name] : []));

/**
 * Returns the backends. A Service with its own balancing becomes a separate Upstream, unless
 * the rule keeps clients at their endpoints.
 */
function balancedApart({ backends, filters }: ClaimedPath, features: FeatureValues, plain: FeatureValues) {
  const own = balancing.filter((name) => features[name] !== plain[name]);
  if (own.length === 0 || firstBackend(filters) !== undefined) return backends;
  const id = shortHash(JSON.stringify(own.map((name) => [name, features[name]])));
  return backends.map((one) => (one.unusable === undefined ? { ...one, upstream: `${one.upstream} ${id}` } : one));
}
