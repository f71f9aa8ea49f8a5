/**
 * Decides about names that a TLSRoute and an Ingress both have, on a shared port. As for a common
 * path, the route gets the name within one namespace, and the older object between namespaces.
 */

import { catchAll, type Server } from "../../model/configuration.ts";
import { named, type Problem } from "../../model/problem.ts";
import type { Table } from "../../model/table.ts";
import type { FeatureValues } from "../../policies/registry.ts";
import type { Claim } from "../../table/claim.ts";
import { keeps } from "../../table/hosts/listener/precedence.ts";
import { covers } from "../gateway/hostnames.ts";

/** The names of Ingresses, and the Problems about those that a route has as well. */
export class IngressNames {
  readonly #hosts = new Map<string, string>();
  readonly #claimsOf: (host: string) => readonly Claim[];
  readonly problems: Problem[] = [];
  /** Names that routes have taken. */
  readonly lost = new Set<string>();

  /** `claimsOf` returns the Claims of a host, oldest first. */
  constructor(servers: Table<Server<FeatureValues>>, claimsOf: (host: string) => readonly Claim[]) {
    this.#claimsOf = claimsOf;
    for (const { listener, name, aliases, redirectFrom } of servers.values()) {
      if (listener !== undefined || name === catchAll) continue;
      for (const one of [name, ...aliases.map((alias) => alias.name), redirectFrom?.name]) {
        if (one !== undefined && !this.#hosts.has(one)) this.#hosts.set(one, name);
      }
    }
  }

  /** Whether an Ingress keeps the name. `by` is the Claim of the route, if there is one. */
  keeps(name: string, by: Claim | undefined): boolean {
    const host = this.#hosts.get(name);
    if (host === undefined) return false;
    const ingress = this.#claimsOf(host)[0];
    if (by === undefined || ingress === undefined) return true;
    const isKept = keeps(partyOf(ingress), partyOf(by));
    const [winner, loser] = isKept ? [ingress, by] : [by, ingress];
    const isNear = winner.owner.namespace === loser.owner.namespace;
    const whose = isNear ? `${named(winner.owner)} of the same namespace` : `the older ${named(winner.owner)}`;
    this.problems.push({
      object: loser.owner,
      kind: "claim-lost",
      field: isKept ? "spec.hostnames" : "spec.rules",
      why: `${whose} has host ${name} on the same port`,
      done: isKept ? "its connections go there" : "TLS connections for it go there",
    });
    if (!isKept) this.lost.add(name);
    return isKept;
  }

  /**
   * Returns the names of Ingresses that one of these hostnames covers without being equal to it.
   */
  under(hostnames: readonly string[]): readonly string[] {
    const wildcards = hostnames.filter((one) => one.startsWith("*."));
    if (wildcards.length === 0) return [];
    const own = new Set(hostnames);
    return [...this.#hosts.keys()]
      .filter((name) => isHostname.test(name) && !own.has(name) && wildcards.some((wildcard) => covers(wildcard, name)))
      .sort();
  }
}

/** Matches names that the stream module can have. Aliases may be patterns, which it cannot. */
const isHostname = /^(\*\.)?[\w.-]+$/;

function partyOf({ owner, since }: Claim) {
  return { namespace: owner.namespace, created: since.created };
}
