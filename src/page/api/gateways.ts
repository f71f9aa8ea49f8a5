/**
 * The answer for the view Gateways: objects of the Gateway API with the conditions that Sluice
 * gives them.
 */

export interface ConditionRow {
  readonly type: string;
  readonly status: "True" | "False" | "Unknown";
  readonly reason: string;
  readonly message: string;
}

export interface ListenerRow {
  readonly name: string;
  readonly port: number;
  readonly protocol: string;
  /** Empty: all hosts. */
  readonly hostname: string;
  readonly attachedRoutes: number;
  readonly conditions: readonly ConditionRow[];
}

/** A Gateway, or a ListenerSet. */
export interface GatewayRow {
  readonly kind: "Gateway" | "ListenerSet";
  /** `namespace/name`. */
  readonly name: string;
  /** GatewayClass of a Gateway, and the Gateway of a ListenerSet. */
  readonly parent: string;
  readonly addresses: readonly string[];
  readonly conditions: readonly ConditionRow[];
  readonly listeners: readonly ListenerRow[];
}

/** A route at one of its parents. */
export interface GatewayRouteRow {
  readonly kind: string;
  readonly name: string;
  readonly hostnames: readonly string[];
  /** `Gateway shop/public, listener web`. */
  readonly parent: string;
  readonly conditions: readonly ConditionRow[];
}

export interface GatewaysAnswer {
  readonly classes: readonly { readonly name: string; readonly conditions: readonly ConditionRow[] }[];
  readonly gateways: readonly GatewayRow[];
  /** At most 1,000. */
  readonly routes: readonly GatewayRouteRow[];
  readonly moreRoutes: number;
}
