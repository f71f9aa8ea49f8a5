/**
 * The Services that Gateways should have after the last turn, and those that are no longer wanted.
 */
import type { Gateway } from "../../core/model/gateway/objects.ts";
import { type DesiredService, serviceKeyOf } from "../../core/model/gateway/services.ts";
import type { DesiredStatus } from "../../core/model/gateway/status.ts";
import { objectKey } from "../../core/model/objects.ts";
import type { Snapshot } from "../../core/model/snapshot.ts";
import { Table } from "../../core/model/table.ts";
import { byCreation } from "../../core/sources/gateway/creation.ts";

export interface WantedService {
  readonly gateway: Gateway;
  readonly service: DesiredService;
}

const prefix = "Gateway ";

export class WantedServices {
  #statuses: Table<DesiredStatus> | undefined;
  /** Gateways by `namespace/name` of the Service. */
  readonly #owners = new Map<string, string>();

  /** Whether a turn has ended yet; before that, nothing counts as unwanted. */
  get areKnown(): boolean {
    return this.#statuses !== undefined;
  }

  /** Returns the Gateways whose wanted Services have changed. */
  take(statuses: Table<DesiredStatus>): readonly string[] {
    const changes = statuses.changesSince(this.#statuses ?? Table.empty());
    this.#statuses = statuses;
    const changed = changes.flatMap(({ key }) => (key.startsWith(prefix) ? [key.slice(prefix.length)] : []));
    for (const key of changed) {
      const wanted = this.of(key);
      if (wanted !== undefined) this.#owners.set(serviceKeyOf(wanted.gateway, wanted.service), key);
    }
    return changed;
  }

  of(gateway: string): WantedService | undefined {
    const status = this.#statuses?.get(objectKey("Gateway", gateway));
    if (status?.kind !== "Gateway" || status.service === undefined) return undefined;
    return { gateway: status.object as Gateway, service: status.service };
  }

  /** Returns the wanted Services, that of the oldest Gateway first. */
  all(): readonly WantedService[] {
    const keys = [...(this.#statuses?.keys() ?? [])].filter((key) => key.startsWith(prefix));
    const all = keys.flatMap((key) => this.of(key.slice(prefix.length)) ?? []);
    return all.sort((one, other) => byCreation(one.gateway, other.gateway));
  }

  /** Returns the Gateway that wants this Service, or wanted it. */
  ownerOf(service: string): string | undefined {
    return this.#owners.get(service);
  }

  /**
   * Whether the Gateway must not have a Service of this controller: it has an address of the pool,
   * is being deleted, or has the class of another controller. While its class is missing or
   * invisible, nothing is deleted.
   */
  isGivenUp(gateway: Gateway, { gatewayClasses }: Snapshot, controllerName: string): boolean {
    const gatewayClass = gatewayClasses.get(gateway.spec?.gatewayClassName ?? "");
    if (gatewayClass === undefined) return false;
    if (gatewayClass.spec?.controllerName !== controllerName) return true;
    const { namespace = "default", name, uid } = gateway.metadata;
    const status = this.#statuses?.get(objectKey("Gateway", `${namespace}/${name}`));
    return status?.kind === "Gateway" && status.object.metadata.uid === uid && status.service === undefined;
  }
}
