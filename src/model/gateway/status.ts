/**
 * The status that objects of the Gateway API should have. `translate/` says it beside the
 * Configuration; a writer compares it with what the API server has and writes the difference once
 * the Configuration of the same turn is live.
 */
import type { KubernetesObject } from "../objects.ts";
import type { Condition, GatewayAddress, ParentReference } from "./objects.ts";
import type { DesiredService } from "./services.ts";

/** A condition without its time: the writer keeps that of an equal condition. */
export type DesiredCondition = Required<Omit<Condition, "lastTransitionTime" | "observedGeneration">>;

/**
 * All conditions observe the generation of `object`, which is the version that the status was made
 * for.
 */
export type DesiredStatus = { readonly object: KubernetesObject } & (
  | {
      readonly kind: "GatewayClass";
      readonly conditions: readonly DesiredCondition[];
      /** Sorted by name. */
      readonly supportedFeatures: readonly string[];
    }
  | {
      readonly kind: "Gateway";
      readonly conditions: readonly DesiredCondition[];
      readonly addresses: readonly GatewayAddress[];
      /** Whether its addresses are those that the status of Ingresses has. */
      readonly hasIngressAddresses?: true;
      readonly listeners: readonly DesiredListenerStatus[];
      /** How many ListenerSets are accepted. */
      readonly attachedListenerSets: number;
      /** The Service that it should have, which is no part of the status; absent: none. */
      readonly service?: DesiredService;
    }
  | {
      readonly kind: "ListenerSet";
      readonly conditions: readonly DesiredCondition[];
      readonly listeners: readonly DesiredListenerStatus[];
    }
  | {
      /** A route: HTTPRoute and its siblings. Entries of other controllers are left alone. */
      readonly kind: "route";
      readonly parents: readonly DesiredParentStatus[];
    }
  | {
      /** A policy: BackendTLSPolicy. Entries of other controllers are left alone. */
      readonly kind: "policy";
      readonly ancestors: readonly DesiredAncestorStatus[];
    }
);

export interface DesiredListenerStatus {
  readonly name: string;
  readonly supportedKinds: readonly { readonly group: string; readonly kind: string }[];
  readonly attachedRoutes: number;
  readonly conditions: readonly DesiredCondition[];
}

export interface DesiredAncestorStatus {
  readonly ancestorRef: ParentReference;
  readonly conditions: readonly DesiredCondition[];
}

export interface DesiredParentStatus {
  /** The reference as it is written in the route. */
  readonly parentRef: ParentReference;
  readonly conditions: readonly DesiredCondition[];
}
