/**
 * Knows which Gateways have routes that use a Service. Only permitted uses count, so routes of
 * other namespaces need a grant.
 */
import { Dependencies } from "../../model/dependencies.ts";
import type { Attachment } from "./route/attach.ts";

export class ServiceUsers {
  /** Routes by the Services that they use. */
  readonly #services = new Dependencies();
  readonly #gateways = new Map<string, readonly string[]>();
  readonly #touched = new Set<string>();

  begin(): void {
    this.#touched.clear();
  }

  /** Replaces the uses of a route. `services` are given by `namespace/name`. */
  use(route: string, services: Iterable<string>, attachments: readonly Attachment[]): void {
    const used = [...services];
    for (const service of [...this.#services.usedBy(route), ...used]) this.#touched.add(service);
    this.#services.set(route, used);
    const gateways = attachments.flatMap(({ fault, parent }) => (fault === undefined ? parent.gateway : []));
    if (used.length === 0) this.#gateways.delete(route);
    else this.#gateways.set(route, [...new Set(gateways)]);
  }

  /** Services whose users have changed in this turn, or were read again. */
  get touched(): ReadonlySet<string> {
    return this.#touched;
  }

  /**
   * Yields the Gateways with routes that use the Service, possibly with duplicates. All are given
   * by `namespace/name`.
   */
  *gatewaysOf(service: string): Iterable<string> {
    for (const route of this.#services.usersOf(service)) yield* this.#gateways.get(route) ?? [];
  }
}
