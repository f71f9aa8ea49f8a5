/**
 * The answer for the view Gateways: objects of the Gateway API with the conditions that Sluice
 * gives them.
 */
import type { List } from "./list.ts";

export interface ConditionRow {
  readonly type: string;
  readonly status: "True" | "False" | "Unknown";
  readonly reason: string;
  readonly message: string;
  /** Whether the condition has the status that it should have. */
  readonly isGood: boolean;
}

export interface ListenerRow {
  readonly name: string;
  readonly port: number;
  readonly protocol: string;
  /** Empty for all hosts. */
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
  /** Whether a condition does not have the status that it should have. */
  readonly isFaulty: boolean;
  readonly kind: string;
  readonly name: string;
  readonly hostnames: readonly string[];
  /** `Gateway shop/public, listener web`. */
  readonly parent: string;
  readonly conditions: readonly ConditionRow[];
}

/** The routes are the rows of the list; the filter also chooses among the Gateways. */
export interface GatewaysAnswer extends List<GatewayRouteRow> {
  readonly classes: readonly { readonly name: string; readonly conditions: readonly ConditionRow[] }[];
  /** At most 50 of the Gateways that match the filter. */
  readonly gateways: readonly GatewayRow[];
  readonly moreGateways: number;
  /** The number of all Gateways and ListenerSets. */
  readonly totalGateways: number;
}
