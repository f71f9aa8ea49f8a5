/**
 * Decides the features of a whole host: for each of them the oldest Claim that sets it wins
 * (RS-3.5).
 */

import { catchAll } from "../../model/configuration.ts";
import type { Problem } from "../../model/problem.ts";
import { unannotated } from "../../policies/read.ts";
import { type FeatureValues, featureList } from "../../policies/registry.ts";
import type { Settings } from "../../settings/registry.ts";
import type { Claim } from "../claim.ts";
import type { HostOwner } from "./owner.ts";

const hostScoped = featureList.filter(([, { provides }]) => provides !== undefined);

/**
 * Returns the values for the host. `all` are the Claims that may set them, including canaries,
 * oldest first.
 */
export function hostFeatures(all: readonly Claim[], settings: Settings): FeatureValues {
  const plain = unannotated(settings);
  if (all.every(({ features }) => features === plain)) return plain;
  const decided: Record<string, unknown> = {};
  for (const [name, { provides, countsInCanaries = false }] of hostScoped) {
    const winner = all.find(
      ({ features }) => (countsInCanaries || features.canary === undefined) && provides!(features[name]),
    );
    if (winner !== undefined) decided[name] = winner.features[name];
  }
  return Object.keys(decided).length === 0 ? plain : { ...plain, ...decided };
}

/** Whether the features of the host need a server block of their own. */
export function needsOwnBlock(features: FeatureValues): boolean {
  return featureList.some(([name, { textServer }]) => textServer?.(features[name]) === true);
}

/** The consequences for features that need a server block of their own, if a host has none. */
export interface Hostless {
  /** Returns why the paths of this Claim answer 503: one of these features is a guard. */
  readonly closes: (claim: Claim) => Problem | undefined;
  readonly problems: readonly Problem[];
}

const unconcerned: Hostless = { closes: () => undefined, problems: [] };

/**
 * Finds the consequences. The catch-all cannot be a server block of its own, so features that need
 * one have no effect there (client certificates for rules without a host). A snippet that needs a
 * path only closes the paths of its own owner.
 */
export function hostlessOf(host: string, claims: readonly Claim[], { mayDecide }: HostOwner): Hostless {
  if (host !== catchAll) return unconcerned;
  const meant = hostScoped.flatMap(([name, feature]) =>
    claims
      .filter((claim) => mayDecide(claim) && feature.textServer?.(claim.features[name]) === true)
      .map(({ owner }) => ({
        isGuard: feature.guard === true,
        problem: useless(
          owner,
          `${feature.name} needs a host, and a rule has none`,
          feature.guard === true ? "paths without a host answer 503" : "it has no effect there",
        ),
      })),
  );
  const withPath = new Map(
    claims
      .filter(({ features }) => features.configurationSnippet.needsPath)
      .map((claim) => {
        const key =
          claim.features.configurationSnippet.text === "" ? "the key location-snippet" : "configuration-snippet";
        const why = `${key} has a location or an alias in it, which needs a host, and a rule has none`;
        return [claim, useless(claim.owner, why, `the ${claim.owner.kind}'s paths without a host answer 503`)] as const;
      }),
  );
  const guard = meant.find(({ isGuard }) => isGuard)?.problem;
  return {
    closes: (claim) => guard ?? withPath.get(claim),
    problems: [...meant.map(({ problem }) => problem), ...withPath.values()],
  };
}

function useless(object: Claim["owner"], why: string, done: string): Problem {
  return { object, kind: "value-useless", field: "spec.rules", why, done, onlyHere: "give the rule a host" };
}
