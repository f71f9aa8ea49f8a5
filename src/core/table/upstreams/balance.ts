/**
 * Decides the balancing of an Upstream that several Claims share with different values (RS-3.7,
 * RS-14.3). The oldest Claim decides the algorithm, the oldest that names a mode of affinity
 * decides the mode, and the youngest decides the cookie.
 */

import type { AffinityCookie, Balance } from "../../model/configuration.ts";
import { named, type Problem } from "../../model/problem.ts";
import type { FeatureValues } from "../../policies/registry.ts";
import { byAge } from "../age.ts";
import type { Claim } from "../claim.ts";

/** A port of a Service to which a Location sends requests, with a Claim that sets its balancing. */
export interface UpstreamUse {
  readonly id: string;
  readonly service: string;
  readonly port: string;
  readonly claim: Claim;
  /** Whether it is the default backend of the Claim, which decides last (RS-3.7). */
  readonly asDefault: boolean;
  /** For a canary, the id of the Upstream that it relieves. */
  readonly relieves: string | undefined;
  /** Whether `port` is the number of the Service's port, and neither its name nor a target port. */
  readonly byNumber?: true;
}

export const roundRobin: Balance = { algorithm: "round_robin" };

/**
 * Returns the use whose Claim decides, among at least one: the youngest default backend, or else
 * the oldest use.
 */
export function decidingUse(uses: readonly UpstreamUse[]): UpstreamUse {
  if (uses.length === 1) return uses[0]!;
  const last = uses.filter(({ asDefault }) => asDefault);
  const wins = last.length > 0 ? younger : older;
  return (last.length > 0 ? last : uses).reduce((best, use) => (wins(use.claim, best.claim) ? use : best));
}

export function balanceOf(uses: readonly UpstreamUse[]): Balance {
  const cookie = cookieOf(uses);
  return cookie === undefined ? plainBalance(decidingUse(uses).claim.features) : { algorithm: "cookie", cookie };
}

/** Reports owners whose upstream-hash-by another user of the Service overrules. */
export function overruled(uses: readonly UpstreamUse[]): Problem[] {
  if (uses.length === 1 || uses.every(({ claim }) => claim.features.upstreamHashBy === undefined)) return [];
  if (cookieOf(uses) !== undefined) return [];
  const { claim: deciding, service } = decidingUse(uses);
  const decided = deciding.features.upstreamHashBy;
  const others = new Map(uses.map(({ claim }) => [named(claim.owner), claim]));
  others.delete(named(deciding.owner));
  return [...others.values()].flatMap(({ owner: object, features: { upstreamHashBy: own } }): Problem[] => {
    if (own === undefined || own.text === decided?.text) return [];
    const why = `${named(deciding.owner)}, which uses Service ${service} too, decides how its endpoints are chosen`;
    return [{ object, kind: "annotation-useless", key: "upstream-hash-by", why }];
  });
}

/**
 * Returns a canary's balancing. It is the canary's own, unless cookies bind clients to the Upstream
 * that it relieves: then cookies bind clients to the canary in the same way (RS-14.7).
 */
export function canaryBalance(uses: readonly UpstreamUse[], relieved: Balance): Balance {
  const { features } = decidingUse(uses).claim;
  const sticky = features.sessionAffinity.canaryBehavior === "sticky";
  return sticky && relieved.algorithm === "cookie" ? relieved : plainBalance(features);
}

function plainBalance({ upstreamHashBy, loadBalance }: FeatureValues): Balance {
  if (upstreamHashBy === undefined) return { algorithm: loadBalance.algorithm };
  return { algorithm: "hash", by: upstreamHashBy.text, subset: upstreamHashBy.subset, ...declaredIn(upstreamHashBy) };
}

function declaredIn({ declared }: { readonly declared: readonly string[] }) {
  return declared.length === 0 ? {} : { declared };
}

function cookieOf(uses: readonly UpstreamUse[]): AffinityCookie | undefined {
  if (uses.every(({ claim }) => claim.features.sessionAffinity.type !== "cookie")) return undefined;
  const ruling = uses.filter(({ asDefault }) => !asDefault).map(({ claim }) => claim);
  const sticky = ruling.filter(({ features }) => features.sessionAffinity.type === "cookie");
  if (sticky.length === 0) return undefined;
  const youngest = sticky.reduce((best, claim) => (younger(claim, best) ? claim : best));
  const oldest = ruling
    .filter(({ features }) => features.sessionAffinity.mode !== undefined)
    .reduce<Claim | undefined>((best, claim) => (best === undefined || older(claim, best) ? claim : best), undefined);
  const { type: _, canaryBehavior: __, ...cookie } = youngest.features.sessionAffinity;
  return { ...cookie, mode: oldest?.features.sessionAffinity.mode ?? "balanced" };
}

function older(a: Claim, b: Claim): boolean {
  return byAge(a.since, b.since) < 0;
}

function younger(a: Claim, b: Claim): boolean {
  return byAge(a.since, b.since) > 0;
}
