/**
 * Converts the settings for choosing endpoints. If several Ingresses use one Service, the oldest
 * Ingress decides for all of them, but each route decides for itself. So every route gets the
 * settings of the oldest Ingress.
 */

import type { Location, Server } from "../../core/model/configuration.ts";
import type { Snapshot } from "../../core/model/snapshot.ts";
import type { FeatureValues } from "../../core/policies/registry.ts";
import { ageOf, byAge } from "../../core/table/age.ts";
import { ownerKey } from "./rules.ts";
import { picked, type Spec } from "./spec.ts";

const isOfBalance = (key: string): boolean => /^(?:load-balance|upstream-hash-by.*|service-upstream)$/.test(key);

export class BalanceDeciders {
  /** The Ingress that decides, by the id of the Upstream. */
  readonly #deciders = new Map<string, string>();

  constructor(servers: readonly Server<FeatureValues>[], ingresses: Snapshot["ingresses"]) {
    for (const location of servers.flatMap(({ locations }) => locations)) {
      const { upstream } = location.backends[0]!;
      const known = ingresses.get(this.#deciders.get(upstream) ?? "");
      const one = ingresses.get(ownerKey(location));
      if (one !== undefined && (known === undefined || byAge(ageOf(one), ageOf(known)) < 0))
        this.#deciders.set(upstream, ownerKey(location));
    }
  }

  /**
   * Returns `namespace/name` of the Ingress that decides for the Location, if that is not its
   * owner.
   */
  deciderOf(location: Location<FeatureValues>): string | undefined {
    const decider = this.#deciders.get(location.backends[0]!.upstream);
    return decider === ownerKey(location) ? undefined : decider;
  }
}

/** Returns `own` with the settings for choosing endpoints from `theirs`. */
export function withBalanceOf(own: Spec, theirs: Spec): Spec {
  return { ...picked(own, (key) => !isOfBalance(key)), ...picked(theirs, isOfBalance) };
}
