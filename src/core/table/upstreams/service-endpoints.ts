/**
 * The Endpoints of the Services in a Snapshot, with an index of EndpointSlices by Service, because
 * a Table cannot be searched.
 */
import { guarded } from "../../../base/guarded.ts";
import { Dependencies } from "../../model/dependencies.ts";
import { serviceOf } from "../../model/objects.ts";
import { emptySnapshot, type Snapshot } from "../../model/snapshot.ts";
import type { TranslateOptions } from "../options.ts";
import type { Turn } from "../turn.ts";
import { type EndpointsAnswer, type EndpointsQuestion, endpointsOf } from "./endpoints.ts";

export class ServiceEndpoints {
  readonly #options: TranslateOptions;
  readonly #services = new Dependencies();
  #snapshot: Snapshot = emptySnapshot;

  constructor(options: TranslateOptions) {
    this.#options = options;
  }

  /**
   * Reads the EndpointSlices of this turn. Returns the Services, by `namespace/name`, with a new,
   * changed or removed slice.
   */
  update({ before, now }: Turn): Set<string> {
    this.#snapshot = now.snapshot;
    const changed = new Set<string>();
    for (const { key, after } of now.snapshot.endpointSlices.changesSince(before.snapshot.endpointSlices)) {
      for (const service of this.#services.usedBy(key)) changed.add(service);
      const service = guarded(
        () => after && serviceOf(after),
        () => undefined,
      );
      this.#services.set(key, service === undefined ? [] : [service]);
      if (service !== undefined) changed.add(service);
    }
    return changed;
  }

  /** Returns the endpoints of a port. `service` is `namespace/name`. */
  of(service: string, question: Omit<EndpointsQuestion, "service" | "slices" | "addresses">): EndpointsAnswer {
    const { services, endpointSlices, addresses } = this.#snapshot;
    const found = services.get(service);
    if (found === undefined) return { kind: "no-port" };
    const slices = [...this.#services.usersOf(service)].sort().map((key) => endpointSlices.get(key)!);
    return endpointsOf({ ...question, service: found, slices, addresses }, this.#options);
  }
}
