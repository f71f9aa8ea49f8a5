/**
 * Makes the tables of routes in shadow: for each host with such routes, the table of all its routes
 * and its namesake, as if they served. It has only the locations of routes in shadow; all other
 * requests stay where they are. No table has an effect on clients.
 */

import { guarded } from "../../../../base/guarded.ts";
import { elsewhere, type Server } from "../../../model/configuration.ts";
import { partsOf, type ServerKey, servedKey, shadowKey } from "../../../model/listeners.ts";
import { Table } from "../../../model/table.ts";
import type { FeatureValues } from "../../../policies/registry.ts";
import type { Claim } from "../../claim.ts";
import type { Claims } from "../../claims.ts";
import type { World } from "../../world.ts";
import { orderedEntries } from "./entries.ts";
import { locationOf, plainServer, routesOf } from "./server.ts";
import { hostTable } from "./table.ts";

export class Shadows {
  readonly #claims: Claims;
  #all = Table.empty<Server<FeatureValues>>();

  constructor(claims: Claims) {
    this.#claims = claims;
  }

  /** Shadows by the key of the host that is served. */
  get all(): Table<Server<FeatureValues>> {
    return this.#all;
  }

  /**
   * Makes the tables of these hosts again. `outdated` are hosts, served or in shadow, that may have
   * changed.
   */
  renew(outdated: Iterable<ServerKey>, world: World): void {
    const keys = new Set<ServerKey>();
    for (const host of outdated) {
      const served = servedKey(host) ?? host;
      if (served !== host || this.#all.has(host)) keys.add(served);
    }
    if (keys.size === 0) return;
    this.#all = this.#all.with([...keys].map((key) => [key, this.#made(key, world)] as const));
  }

  /** Returns undefined if no route is in shadow. A bug here must not affect the served hosts. */
  #made(key: ServerKey, world: World): Server<FeatureValues> | undefined {
    const hidden = shadowKey(key);
    const claims = this.#claims.of(hidden);
    if (claims.length === 0) return undefined;
    return guarded(
      () =>
        shadowServer(
          key,
          claims.map((claim) => ({ ...claim, hosts: new Map([[key, claim.hosts.get(hidden) ?? []]]) })),
          this.#claims.of(key),
          world,
        ),
      () => undefined,
    );
  }
}

function shadowServer(
  key: ServerKey,
  hidden: readonly Claim[],
  served: readonly Claim[],
  world: World,
): Server<FeatureValues> {
  const entries = orderedEntries(key, [...served, ...hidden], world, []);
  const own = entries.filter(({ claim }) => hidden.includes(claim));
  const all = entries.map((entry) => {
    const at = own.indexOf(entry);
    return [entry, routesOf(entry, at < 0 ? elsewhere : at)] as const;
  });
  const { name } = partsOf(key);
  const { routes } = hostTable(name, all, world.namesakeOf(key));
  return plainServer(key, { locations: own.map(locationOf), routes, features: hidden[0]!.features });
}
