/**
 * Adds canaries to the Locations that they shadow (RS-13). A canary belongs to the Locations of one
 * rule and never makes a Location; a rule may have several canaries. Its Upstream is separate even
 * if another path uses the same Service, because clients bound to the main Service are bound to
 * its canary by the same cookie (RS-14.7).
 */

import { type Canary, catchAll, defaultUpstream } from "../../model/configuration.ts";
import { missing } from "../../model/missing.ts";
import { type Mistake, named, type Problem } from "../../model/problem.ts";
import { Allowance, longestHeader } from "../../tokens/pattern-bounds.ts";
import type { Claim, ClaimedBackend } from "../claim.ts";
import type { UpstreamUse } from "../upstreams/balance.ts";
import { portsInWords, servicePortOf } from "../upstreams/endpoints.ts";
import type { World } from "../world.ts";
import { idleAnnotations } from "./idle-annotations.ts";
import { shownHost } from "./shown-host.ts";

/** The part of a Location that a canary may shadow. */
export interface Main {
  readonly path: string;
  readonly type: "exact" | "prefix";
  readonly upstream: string;
  /** Undefined if it has no owner. */
  readonly claim: Claim | undefined;
}

export interface Shadow {
  /** The indices of the mains that it shadows. */
  readonly main: number;
  readonly canary: Canary;
  readonly claim: Claim;
}

export interface Shadows {
  readonly shadows: readonly Shadow[];
  readonly uses: readonly UpstreamUse[];
  readonly problems: readonly Problem[];
}

/** Finds the Locations that canaries shadow. `claims` are canaries, oldest first. */
export function shadowsOf(host: string, claims: readonly Claim[], mains: readonly Main[], world: World): Shadows {
  const shadows: Shadow[] = [];
  const uses: UpstreamUse[] = [];
  const problems: Problem[] = [];
  const allowances = new Map<number, Allowance>();
  /** An index of Locations by type and path, because both lists may have 10,000 entries. */
  const places = new Map(
    mains.map((main, at) => [placeOf(main.type, main.path), at]).toReversed() as [string, number][],
  );
  for (const claim of claims) {
    const known = shadows.length;
    const shadowed = new Set<number>();
    const { defaultBackend } = claim;
    if (host === catchAll && defaultBackend !== undefined) {
      const relieved = [...mains.keys()].filter((main) => mains[main]!.upstream !== defaultUpstream);
      shadow(claim, shadowed, defaultBackend.part, defaultBackend, relieved);
    }
    for (const { field, match, backends } of claim.hosts.get(host) ?? []) {
      const main = places.get(placeOf(match.type, match.text));
      for (const backend of backends)
        shadow(claim, shadowed, `${field}.${backend.part}`, backend, main === undefined ? [] : [main]);
    }
    const relieved = shadows.slice(known).map(({ main }) => mains[main]!.claim);
    problems.push(...idleAnnotations(claim, relieved, world.annotationsPrefix));
  }
  return { shadows, uses, problems };

  /**
   * Adds a canary to the Locations of one of its paths. `shadowed` are the mains that the claim
   * already shadows.
   */
  function shadow(
    claim: Claim,
    shadowed: Set<number>,
    field: string,
    own: ClaimedBackend,
    relieved: readonly number[],
  ): void {
    const { owner: object } = claim;
    const done = "the canary gets no requests there";
    const idle = (why: string) => problems.push({ object, kind: "value-useless", field, why, done });
    if (own.mistake !== undefined) return void idle(own.mistake);
    if (relieved.length === 0) return void idle(`no ordinary ${object.kind} has this host, path and path type`);
    const mine = ownOf(claim, relieved, idle).filter((main) => !shadowed.has(main));
    const possible = mine.filter((main) => {
      const { upstream } = mains[main]!;
      if (upstream === defaultUpstream) idle("the path belongs to the default backend");
      else if (upstream === own.upstream) idle("it names the Service and port that the path has already");
      else if (!isAffordable(claim, main)) idle("static mode compares no request with so many patterns of canaries");
      else return true;
      return false;
    });
    for (const main of possible) {
      shadowed.add(main);
      add(claim, own, main, mains[main]!.upstream);
    }
    // A missing Service is reported only if it is used: an unused Service is not watched, so its
    // creation would not be noticed.
    const lacking = missingPart(own, world);
    if (possible.length > 0 && lacking !== undefined) problems.push({ object, field, ...lacking, done });
  }

  /** Whether nginx may compare the header of a request with the canary's pattern, too. */
  function isAffordable({ features }: Claim, main: number): boolean {
    const { headerPattern } = features.canary!;
    if (!world.pathsAreText || headerPattern === "") return true;
    const allowance = allowances.get(main) ?? new Allowance(longestHeader);
    allowances.set(main, allowance);
    return allowance.takes(headerPattern);
  }

  /**
   * Returns the Locations of the canary's own namespace. Otherwise a canary would take requests
   * that another tenant's users make after that tenant's login.
   */
  function ownOf(
    { owner: { kind, namespace } }: Claim,
    relieved: readonly number[],
    idle: (why: string) => void,
  ): readonly number[] {
    if (world.settings.allowCrossNamespaceCanaries) return relieved;
    return relieved.filter((main) => {
      const { claim: owner, path } = mains[main]!;
      if (owner === undefined || owner.owner.namespace === namespace) return true;
      idle(
        `path ${path} of host ${shownHost(host)} is served by ${named(owner.owner)}, and a canary stands beside an ${kind} of its own namespace (allow-cross-namespace-canaries)`,
      );
      return false;
    });
  }

  function add(claim: Claim, { upstream, key, port }: ClaimedBackend, main: number, relieves: string): void {
    const id = `${upstream} for ${relieves}`;
    shadows.push({ main, claim, canary: { upstream: id, policy: claim.features.canary! } });
    uses.push({ id, service: key, port, claim, asDefault: false, relieves });
  }
}

const placeOf = (type: string, path: string): string => `${type} ${path}`;

/** Returns whether the Service or its port is missing; undefined if both exist. */
function missingPart({ key, port }: ClaimedBackend, world: World): Mistake | undefined {
  const service = world.service(key);
  if (service === undefined) return missing("Service", key);
  if (service.spec?.type === "ExternalName" || servicePortOf(service, port) !== undefined) return undefined;
  const why = `Service ${key} has no port ${port}; it has ${portsInWords(service)}`;
  return { kind: "reference-unusable", why };
}
