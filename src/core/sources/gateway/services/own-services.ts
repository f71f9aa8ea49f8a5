/**
 * Finds the Gateways with Services of their own, and the ports and addresses of these. Without
 * `--gateway-services` there are none.
 */
import type { ServiceParameters } from "../../../model/gateway/services.ts";
import type { GatewayOptions } from "../../../table/options.ts";
import type { Turn } from "../../../table/turn.ts";
import type { Assignment } from "../addresses.ts";
import type { PartialParameters } from "../parameters.ts";
import type { GatewayReading } from "../reading.ts";
import { asksForPool, serviceAssignment } from "./assignment.ts";
import { desiredService } from "./desired.ts";
import { serviceNameOf } from "./names.ts";
import { emptyRecord, type PortRecord, readRecord, targetsIn } from "./record.ts";

type Targets = ReturnType<typeof targetsIn>;

const noTargets = {};
const usual: ServiceParameters = { type: "LoadBalancer" };

export class OwnServices {
  readonly #options: GatewayOptions;
  #record: PortRecord = emptyRecord;
  #targets: Targets = new Map();
  /** Names of Services of Gateways, including those that other programs made. */
  readonly #names = new Set<string>();

  constructor(options: GatewayOptions) {
    this.#options = options;
  }

  /** Whether a Service of a Gateway, or the record, has changed since the last turn. */
  update({ before, now, afresh }: Turn): boolean {
    const { services } = this.#options;
    if (services === undefined) return false;
    const record = now.snapshot.configMaps.get(services.record);
    const isOther = afresh || record !== before.snapshot.configMaps.get(services.record);
    if (isOther) {
      this.#record = readRecord(record);
      this.#targets = targetsIn(this.#record, services.ports);
    }
    const changes = now.snapshot.services.changesSince(before.snapshot.services);
    return isOther || changes.some(({ key }) => this.#names.has(key));
  }

  /**
   * Returns the Services by key of the Gateway. Gateways with addresses of the pool are left out.
   */
  assign(readings: Iterable<GatewayReading>, { now }: Turn): ReadonlyMap<string, Assignment> {
    const assignments = new Map<string, Assignment>();
    this.#names.clear();
    if (this.#options.services === undefined) return assignments;
    for (const reading of readings) {
      if (asksForPool(reading.gateway)) continue;
      this.#names.add(`${reading.gateway.metadata.namespace}/${serviceNameOf(reading.gateway)}`);
      const targets = this.#targets.get(reading.gateway.metadata.uid ?? "") ?? noTargets;
      const service = (key: string) => now.snapshot.services.get(key);
      const world = { service, targets, isExhausted: this.#record.isExhausted, options: this.#options };
      assignments.set(reading.key, serviceAssignment(reading, world));
    }
    return assignments;
  }

  /**
   * Returns the Service that a Gateway should have. `ofClass` and the Gateway's own parameters are
   * undefined if they cannot be read.
   */
  desired(reading: GatewayReading, ofClass: PartialParameters | undefined) {
    const { parameters, values = {} } = reading;
    const all = parameters === undefined && ofClass !== undefined ? { ...usual, ...ofClass, ...values } : undefined;
    return desiredService(reading, all, this.#options);
  }
}
