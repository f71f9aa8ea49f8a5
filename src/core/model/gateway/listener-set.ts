/** A ListenerSet has further listeners for a Gateway, as the Gateway API v1.6.3 defines them. */
import type { KubernetesObject } from "../objects.ts";
import type { Condition, GatewayListener, ObjectReference } from "./objects.ts";

export interface ListenerSet extends KubernetesObject {
  readonly kind: "ListenerSet";
  readonly spec?: {
    /**
     * Without a group and a kind it refers to a Gateway; without a namespace, to one in the set's
     * own namespace.
     */
    readonly parentRef?: ObjectReference;
    readonly listeners?: readonly GatewayListener[];
  };
  readonly status?: {
    readonly conditions?: readonly Condition[];
    readonly listeners?: readonly { readonly name: string; readonly conditions?: readonly Condition[] }[];
  };
}
