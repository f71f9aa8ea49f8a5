/**
 * Finds the owner of a host. Several namespaces may have paths on one host, but only the namespace
 * of its oldest Claim may set values for the whole host. Otherwise a younger Claim of another
 * namespace could change the answers of the first one. If a guard of such a Claim is ignored,
 * the paths that it should protect are closed.
 */

import { named, type Problem } from "../../model/problem.ts";
import type { Fields } from "../../policies/declare.ts";
import { type FeatureValues, featureList } from "../../policies/registry.ts";
import type { Settings } from "../../settings/registry.ts";
import type { Claim } from "../claim.ts";
import { shownHost } from "./shown-host.ts";

export interface HostOwner {
  /** The oldest Claim that is not a canary; undefined if there is none. */
  readonly oldest: Claim | undefined;
  /** Whether this Claim may set values for the whole host. */
  readonly mayDecide: (claim: Claim) => boolean;
  /** Returns why others may not, as the beginning of a sentence. */
  readonly why: () => string;
}

/** Finds the owner. `claims` are those of the host without canaries, oldest first. */
export function hostOwner(host: string, claims: readonly Claim[], settings: Settings): HostOwner {
  const oldest = claims[0];
  if (oldest === undefined || settings.allowCrossNamespaceHostSettings)
    return { oldest, mayDecide: anyone, why: () => "" };
  const { namespace } = oldest.owner;
  // The sentence is made only when it is needed, because few hosts need it.
  return {
    oldest,
    mayDecide: ({ owner }) => owner.namespace === namespace,
    why: () => whyNot(host, oldest),
  };
}

const anyone = () => true;

function whyNot(host: string, { owner }: Claim): string {
  return `what holds for ${wholeHost(host)} is decided by the namespace of the oldest ${owner.kind} there, ${named(owner)}`;
}

const wholeHost = (host: string): string =>
  host === "_" ? "all rules without a host" : `the whole host ${shownHost(host)}`;

const hostScoped = featureList.filter(([, { provides }]) => provides !== undefined);

export interface Overruled {
  /**
   * Returns why the Claim's paths answer 503: it sets a guard that is not in force, and the owner
   * sets none.
   */
  readonly closes: (claim: Claim) => Problem | undefined;
  readonly problems: readonly Problem[];
}

const noneOverruled: Overruled = { closes: () => undefined, problems: [] };

/**
 * Finds the host-wide values that are ignored. `hostWide` has the values for the host; `all` are
 * the host's Claims, including canaries, oldest first.
 */
export function overruledOf(
  host: string,
  owner: HostOwner,
  all: readonly Claim[],
  hostWide: FeatureValues,
  prefix: string,
): Overruled {
  const deciding = all.filter(owner.mayDecide);
  const outvoted = outvotedOf(host, deciding, hostWide, prefix);
  if (deciding.length === all.length)
    return outvoted.length === 0 ? noneOverruled : { ...noneOverruled, problems: outvoted };
  const closed = new Map<Claim, Problem>();
  const problems: Problem[] = [...outvoted];
  for (const claim of all) {
    if (owner.mayDecide(claim)) continue;
    const isCanary = claim.features.canary !== undefined;
    for (const [name, { provides, guard, fields, countsInCanaries }] of hostScoped) {
      const value = claim.features[name];
      if (!provides!(value) || (isCanary && countsInCanaries !== true) || same(value, hostWide[name])) continue;
      const key = keyIn(claim, fields, prefix);
      const isClosed = guard === true && !isCanary && !provides!(hostWide[name]);
      const { owner: object } = claim;
      const why = owner.why();
      const done = "its paths there answer 503";
      const problem: Problem = isClosed
        ? { object, kind: "claim-lost", field: `annotation ${key}`, why, done }
        : { object, kind: "annotation-useless", key, why };
      if (isClosed && !closed.has(claim)) closed.set(claim, problem);
      problems.push(problem);
    }
  }
  return { closes: (claim) => closed.get(claim), problems };
}

/** Reports values of Claims that may decide, where an older one of them sets another value. */
function outvotedOf(host: string, deciding: readonly Claim[], hostWide: FeatureValues, prefix: string): Problem[] {
  if (deciding.length < 2) return [];
  return hostScoped.flatMap(([name, { provides, fields, countsInCanaries = false }]) => {
    const [winner, ...others] = deciding.filter(
      ({ features }) => (countsInCanaries || features.canary === undefined) && provides!(features[name]),
    );
    const ignored = others.filter(({ features }) => !same(features[name], hostWide[name]));
    return ignored.map((claim): Problem => {
      const why = `${named(winner!.owner)}, the oldest that sets it, decides for ${wholeHost(host)}`;
      return { object: claim.owner, kind: "annotation-useless", key: keyIn(claim, fields, prefix, winner), why };
    });
  });
}

/** Whether two Claims have equal values, so that they agree about the host. */
function same(one: unknown, other: unknown): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}

/**
 * Returns the annotation that sets the value; if the other Claim sets it as well, one that differs.
 */
function keyIn({ annotations }: Claim, fields: Fields, prefix: string, other?: Claim): string {
  const keys = Object.values(fields).map(({ key }) => key);
  const written = keys.filter((key) => annotations[`${prefix}/${key}`] !== undefined);
  const own = written.find((key) => annotations[`${prefix}/${key}`] !== other?.annotations[`${prefix}/${key}`]);
  return own ?? written[0] ?? keys[0]!;
}
