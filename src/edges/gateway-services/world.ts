/** The facts and tools that the writers of Services, slices and the port record share. */

import type { Gateway } from "../../core/model/gateway/objects.ts";
import type { EndpointSlice, KubernetesObject, Service } from "../../core/model/objects.ts";
import type { Snapshot } from "../../core/model/snapshot.ts";
import type { ApiFailure, Client, Clock } from "../../kube/index.ts";

export interface ServicesWorld {
  readonly client: Client;
  readonly controllerName: string;
  /** Ports of nginx that may be assigned. */
  readonly ports: readonly number[];
  /** `namespace/name` of the ConfigMap with the record. */
  readonly record: string;
  readonly snapshot: () => Snapshot;
  /** The newest form of an object from a watch. */
  readonly newest: (kind: string, key: string) => KubernetesObject | undefined;
  readonly clock: Clock;
  readonly say: (about: Gateway, type: "Normal" | "Warning", reason: ServiceReason, message: string) => void;
  /** A read or write failed and will be tried again. */
  readonly failed: (object: string, failure: ApiFailure) => void;
}

/** Reasons of Events about Gateways. */
export type ServiceReason =
  | "ServiceCreated"
  | "ServiceCorrected"
  | "ServiceDeleted"
  | "ServiceFailed"
  | "TargetPortChanged";

export function serviceIn({ newest }: Pick<ServicesWorld, "newest">, key: string): Service | undefined {
  return newest("Service", key) as Service | undefined;
}

export function sliceIn({ newest }: Pick<ServicesWorld, "newest">, key: string): EndpointSlice | undefined {
  return newest("EndpointSlice", key) as EndpointSlice | undefined;
}
