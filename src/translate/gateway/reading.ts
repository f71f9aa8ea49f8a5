/** What is known of a Gateway of ours and its listeners, once they have been read. */
import type { Gateway, GatewayListener } from "../../model/gateway/objects.ts";
import type { Problem } from "../../problem.ts";
import type { Fault } from "./conditions.ts";

export interface RouteKind {
  readonly group: string;
  readonly kind: string;
}

export interface ListenerReading {
  /** `namespace/gateway/name`. */
  readonly id: string;
  /** `spec.listeners[0]`. */
  readonly field: string;
  readonly listener: GatewayListener;
  /** In lower case; empty: all hosts. */
  readonly hostname: string;
  readonly tls: boolean;
  readonly kinds: readonly RouteKind[];
  /** Why it is not accepted; undefined where it is. */
  readonly refused: Fault | undefined;
  /** Why it conflicts with others of the Gateway; undefined where it does not. */
  readonly conflict: Fault | undefined;
  /** What it refers to and cannot have. */
  readonly unresolved: readonly Fault[];
  /** Names of listeners of the port whose hosts are among its own. */
  readonly overlaps: readonly string[];
  /** `namespace/name` of Secrets with a usable pair; the first of each type of key. */
  readonly certificates: readonly string[];
}

export interface GatewayReading {
  /** `namespace/name`. */
  readonly key: string;
  /** The form that is in force. */
  readonly gateway: Gateway;
  /** As it is in the cluster. */
  readonly present: Gateway;
  /** Why nginx refused the present form; absent where it did not. */
  readonly refused?: Problem;
  readonly listeners: readonly ListenerReading[];
  /** Why the parameters that it refers to cannot be used. */
  readonly parameters: Problem | undefined;
  /** Fields that are not served, and make nothing else void. */
  readonly unserved: readonly Problem[];
}

/** Whether routes may be served on it. */
export function isUsable({ refused, conflict }: ListenerReading): boolean {
  return refused === undefined && conflict === undefined;
}
