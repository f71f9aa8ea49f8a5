/** Makes the Claim of a route, and decides whether a version differs from the one before. */
import type { Route } from "../../../model/gateway/objects.ts";
import type { Owner } from "../../../model/owner.ts";
import { ageOf } from "../../../table/age.ts";
import type { Claim } from "../../../table/claim.ts";
import type { Turn } from "../../../table/turn.ts";
import { routeFeatures } from "../route-features.ts";

/** Whether the two versions differ in more than their status. */
export function isOtherRoute(before: Route | undefined, after: Route | undefined): boolean {
  if (before === undefined || after === undefined) return true;
  return JSON.stringify(askedBy(before)) !== JSON.stringify(askedBy(after));
}

function askedBy({ metadata: { uid, creationTimestamp, annotations }, spec }: Route) {
  return [uid, creationTimestamp, annotations, spec];
}

/**
 * Makes the Claim. `share` is the share of requests of its Locations; undefined if they take
 * all.
 */
export function claimOf(
  owner: Owner,
  route: Route,
  hosts: Claim["hosts"],
  share: number | undefined,
  { settings }: Turn,
): Claim {
  const { metadata } = route;
  return {
    key: `${owner.kind} ${owner.namespace}/${owner.name}`,
    owner,
    uid: metadata.uid,
    since: ageOf(route),
    annotations: metadata.annotations ?? {},
    features: routeFeatures(settings),
    closed: undefined,
    hosts,
    defaultBackend: undefined,
    answersUnknownHosts: false,
    tls: [],
    ...(share === undefined ? {} : { share }),
  };
}
