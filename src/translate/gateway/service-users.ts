/**
 * Which Gateways have routes that use a Service. Only uses that are permitted count: a route of a
 * stranger is none.
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

  /** Replaces what is known of the route. `services`: by `namespace/name`. */
  use(route: string, services: Iterable<string>, attachments: readonly Attachment[]): void {
    const used = [...services];
    for (const service of [...this.#services.usedBy(route), ...used]) this.#touched.add(service);
    this.#services.set(route, used);
    const gateways = attachments.flatMap(({ fault, parent }) => (fault === undefined ? parent.gateway : []));
    if (used.length === 0) this.#gateways.delete(route);
    else this.#gateways.set(route, [...new Set(gateways)]);
  }

  /**
   * Services with other users than at the beginning of the turn, or whose users were read again.
   */
  get touched(): ReadonlySet<string> {
    return this.#touched;
  }

  /** Services by `namespace/name`; one may come twice. */
  *gatewaysOf(service: string): Iterable<string> {
    for (const route of this.#services.usersOf(service)) yield* this.#gateways.get(route) ?? [];
  }
}
