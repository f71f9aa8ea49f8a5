/** The wishes of a version of a route, and the Claim that is made of it. */
import type { Route } from "../../../model/gateway/objects.ts";
import type { Owner } from "../../../model/owner.ts";
import { ageOf } from "../../age.ts";
import type { Claim } from "../../claim.ts";
import type { Turn } from "../../turn.ts";
import { routeFeatures } from "../route-features.ts";

/**
 * Whether a version asks for something else than the one before it: not where only its status
 * differs.
 */
export function asksForOther(before: Route | undefined, after: Route | undefined): boolean {
  if (before === undefined || after === undefined) return true;
  return JSON.stringify(askedBy(before)) !== JSON.stringify(askedBy(after));
}

function askedBy({ metadata: { uid, creationTimestamp, annotations }, spec }: Route) {
  return [uid, creationTimestamp, annotations, spec];
}

/** `share` is that of its Locations; undefined: they take all. */
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
