/**
 * The status that objects of the Gateway API should have. `translate/` makes it beside the
 * Configuration. A writer compares it with the status at the API server, and writes the difference
 * as soon as the Configuration of the same turn is live.
 */
import type { KubernetesObject } from "../objects.ts";
import type { Condition, GatewayAddress, ParentReference } from "./objects.ts";
import type { DesiredService } from "./services.ts";

/** A condition without its time. The writer keeps the time of an equal condition. */
export type DesiredCondition = Required<Omit<Condition, "lastTransitionTime" | "observedGeneration">>;

/**
 * All conditions have the generation of `object`, which is the version for which the status was
 * made.
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
      /** Whether its addresses are those in the status of Ingresses. */
      readonly hasIngressAddresses?: true;
      readonly listeners: readonly DesiredListenerStatus[];
      /** The number of accepted ListenerSets. */
      readonly attachedListenerSets: number;
      /**
       * The Service that the Gateway should have, which is not a part of the status; absent if
       * it should have none.
       */
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
