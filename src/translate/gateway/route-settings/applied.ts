/** The paths of a route on one listener, with the RouteSettings that hold for them. */
import type { FeatureValues } from "../../../annotations/registry.ts";
import { shortHash } from "../../../directives/short-hash.ts";
import type { Problem } from "../../../problem.ts";
import type { ClaimedPath } from "../../claim.ts";
import type { Effective } from "./effective.ts";
import { closed as done } from "./reading.ts";

export interface Applied {
  /** Returns the same list where no settings hold. */
  readonly paths: readonly ClaimedPath[];
  /** Guards that cannot hold together. */
  readonly conflicts: readonly Problem[];
}

export interface RouteSurroundings {
  /** The features of a route without settings. */
  readonly plain: FeatureValues;
  /** Whether the Gateway has a listener with TLS that takes hosts of this one. */
  readonly hasTls: boolean;
}

/** `effective` returns the settings that hold for a path. */
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
    if (conflict !== undefined) conflicts.push(conflict);
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
 * nginx asks one auth service for each request, and that of a filter is asked in place of the
 * operator's.
 */
function twoServices({ filters, field }: ClaimedPath, { externalAuth }: FeatureValues, object: Problem["object"]) {
  const isAsked = externalAuth.kind === "ask" && externalAuth.question.by === "ingress";
  if (filters?.auth === undefined || !isAsked) return undefined;
  const why = `cannot hold together with the filter ExternalAuth of ${field}`;
  return { object, kind: "field-unusable", field: "spec.auth-url", why, done } as const;
}

/** Filters that Lua follows in the phase in which nginx asks all guards. */
const followedAmongGuards = ["requestHeaders", "responseHeaders", "cors", "mirrors", "auth", "session"] as const;

/**
 * nginx counts that Lua as one more guard, which every request satisfies: beside it each real one
 * has to let a request pass.
 */
function strictlySatisfied({ filters, backends, retries }: ClaimedPath, features: FeatureValues): FeatureValues {
  if (features.satisfy.checks === "all") return features;
  const all = [filters, ...backends.map((backend) => backend.filters)];
  const isFollowed = all.some((one) => followedAmongGuards.some((name) => one?.[name] !== undefined));
  return isFollowed || retries !== undefined ? { ...features, satisfy: { checks: "all" } } : features;
}

const balancing = ["sessionAffinity", "loadBalance", "upstreamHashBy", "serviceUpstream"] as const;

/**
 * Endpoints with their own balancing are a separate Upstream. A session of the rule decides which
 * endpoint answers.
 */
function balancedApart({ backends, filters }: ClaimedPath, features: FeatureValues, plain: FeatureValues) {
  const own = balancing.filter((name) => features[name] !== plain[name]);
  if (own.length === 0 || filters?.session !== undefined) return backends;
  const id = shortHash(JSON.stringify(own.map((name) => [name, features[name]])));
  return backends.map((one) => (one.unusable === undefined ? { ...one, upstream: `${one.upstream} ${id}` } : one));
}
