/**
 * Finds hosts that need listeners of their own. If a request fits no rule of its host, a
 * listener tries its less specific hosts. Ingresses do not: they answer 404. A listener for this
 * host alone answers 404, too.
 */

import { catchAll, type Server } from "../../core/model/configuration.ts";
import type { FeatureValues } from "../../core/policies/registry.ts";
import { covers } from "../../core/sources/gateway/hostnames.ts";
import { namesOf } from "./listeners.ts";
import { takesAll } from "./rules.ts";

type IngressServer = Server<FeatureValues>;

export class ApartHosts {
  readonly #defaultBackend: string | undefined;
  /** Servers that take several hosts, each with its names that are wildcards or patterns. */
  readonly #wide: readonly (readonly [IngressServer, readonly string[]])[];
  readonly #known = new Map<string, boolean>();

  constructor(servers: readonly IngressServer[], defaultBackend: string | undefined) {
    this.#defaultBackend = defaultBackend;
    this.#wide = servers.flatMap((server) => {
      const names = namesOf(server).filter((name) => name === catchAll || name.startsWith("*."));
      return names.length === 0 ? [] : [[server, names] as const];
    });
  }

  /**
   * Whether other hosts would take requests of this one on a listener that they share, or one of
   * them has a listener of its own, which would take all of them.
   */
  of(server: IngressServer): boolean {
    if (server.name === catchAll) return false;
    const known = this.#known.get(server.name);
    if (known !== undefined) return known;
    // This entry ends the recursion if the aliases of two hosts take each other.
    this.#known.set(server.name, false);
    const above = this.#above(server);
    const isApart = above.length > 0 && (!takesAll(server, this.#defaultBackend) || above.some((one) => this.of(one)));
    this.#known.set(server.name, isApart);
    return isApart;
  }

  #above(server: IngressServer): readonly IngressServer[] {
    const own = namesOf(server);
    const takes = (wide: string) => wide === catchAll || own.some((name) => name !== wide && covers(wide, name));
    return this.#wide.flatMap(([other, names]) => (other.name !== server.name && names.some(takes) ? [other] : []));
  }
}
