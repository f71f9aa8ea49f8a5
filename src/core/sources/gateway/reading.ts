/** The readings of this controller's Gateways, their ListenerSets and their listeners. */
import type { Identity } from "../../model/backend-tls.ts";
import type { ListenerSet } from "../../model/gateway/listener-set.ts";
import type { Gateway, GatewayListener } from "../../model/gateway/objects.ts";
import type { ClientValidation } from "../../model/listeners.ts";
import type { ObjectKey } from "../../model/objects.ts";
import type { Owner } from "../../model/owner.ts";
import type { Problem } from "../../model/problem.ts";
import type { StreamProtocol } from "../../model/streams.ts";
import type { Fault } from "./conditions.ts";
import type { PartialParameters } from "./parameters.ts";

export interface RouteKind {
  readonly group: string;
  readonly kind: string;
}

export interface ListenerReading {
  /**
   * `namespace/gateway/name`, or for a listener of a ListenerSet
   * `namespace/gateway/namespace/set/name`.
   */
  readonly id: string;
  /** The Gateway or the ListenerSet that has it. */
  readonly owner: Owner;
  /** `spec.listeners[0]`. */
  readonly field: string;
  readonly listener: GatewayListener;
  /** In lower case; empty for all hosts. */
  readonly hostname: string;
  /** Whether nginx ends the TLS of clients. */
  readonly tls: boolean;
  /** Undefined if it takes requests. */
  readonly stream: StreamProtocol | undefined;
  readonly kinds: readonly RouteKind[];
  /** The reason why it is not accepted; undefined if it is. */
  readonly refused: Fault | undefined;
  /**
   * The reason why it conflicts with other listeners of the Gateway; undefined if it does not.
   */
  readonly conflict: Fault | undefined;
  /**
   * Whether an earlier listener has its port and hostname. Then it does not affect later listeners.
   */
  readonly isBeaten: boolean;
  /** References that cannot be resolved. */
  readonly unresolved: readonly Fault[];
  /** Names of other listeners of its owner, on the same port, with which it has hosts in common. */
  readonly overlaps: readonly string[];
  /** Whether it has hosts in common with such listeners of other owners. */
  readonly overlapsOthers: boolean;
  /** `namespace/name` of Secrets with a usable key pair, the first for each type of key. */
  readonly certificates: readonly string[];
  /**
   * The validation of clients on its port; absent if there is none. If the authorities are
   * not usable, the listener is refused.
   */
  readonly clients?: ClientValidation;
}

export interface GatewayReading {
  /** `namespace/name`. */
  readonly key: string;
  /** The form that is in force. */
  readonly gateway: Gateway;
  /** The object in the cluster. */
  readonly present: Gateway;
  /** The reason why nginx refused the present form; absent if it did not. */
  readonly refused?: Problem;
  readonly listeners: readonly ListenerReading[];
  /** The certificate that is shown to its backends; absent if there is none. */
  readonly identity?: Identity;
  /** References of the Gateway as a whole that cannot be resolved. */
  readonly unresolved: readonly Fault[];
  /** The reason why its parameters cannot be used. */
  readonly parameters: Problem | undefined;
  /** Its own parameters; undefined if it has none, or they cannot be used. */
  readonly values: PartialParameters | undefined;
  /** Fields that are not served, which does not affect other fields. */
  readonly unserved: readonly Problem[];
  /** The attached sets, in the order of their precedence. */
  readonly sets: readonly SetReading[];
}

/** A ListenerSet of one of this controller's Gateways. */
export interface SetReading {
  /** `namespace/name`. */
  readonly key: string;
  /** Sets are sorted by this text: the oldest first, then by `namespace/name`. */
  readonly rank: string;
  /** `namespace/name` of its Gateway. */
  readonly gateway: string;
  /** The form that is in force. */
  readonly set: ListenerSet;
  /** The object in the cluster. */
  readonly present: ListenerSet;
  /** The reason why nginx refused the present form; absent if it did not. */
  readonly refused?: Problem;
  /**
   * The reason why the Gateway does not accept it, in which case it has no listeners; undefined
   * if the Gateway does.
   */
  readonly notAllowed: Problem | undefined;
  readonly listeners: readonly ListenerReading[];
  /** Fields that are not served, which does not affect other fields. */
  readonly unserved: readonly Problem[];
}

/** The parts of a Gateway or a ListenerSet that its routes need. */
export interface ParentReading {
  /** The object's kind and name, such as `Gateway shop/public`. */
  readonly called: string;
  /** `namespace/name` of the Gateway. */
  readonly gateway: string;
  readonly listeners: readonly ListenerReading[];
  /** The reason why the Gateway does not accept the set. */
  readonly notAllowed: Problem | undefined;
}

/** Returns the Gateway's own listeners, then those of its ListenerSets. */
export function allListeners({ listeners, sets }: GatewayReading): readonly ListenerReading[] {
  return sets.length === 0 ? listeners : [...listeners, ...sets.flatMap((set) => set.listeners)];
}

/**
 * Whether one of the listeners fulfils `isOf`. It makes no list, because routes call this for each
 * listener.
 */
export function hasListener({ listeners, sets }: GatewayReading, isOf: (one: ListenerReading) => boolean): boolean {
  return listeners.some(isOf) || sets.some((set) => set.listeners.some(isOf));
}

/**
 * Returns the object that has a listener, such as `Gateway shop/public` or `ListenerSet shop/more`,
 * by the listener's id.
 */
export function ownerOfListener(id: string): ObjectKey {
  const [namespace, name, ...more] = id.split("/", 5);
  return more.length === 1 ? `Gateway ${namespace}/${name}` : `ListenerSet ${more[0]}/${more[1]}`;
}

/**
 * Returns the name of a listener for logs and metrics, which also have its Gateway. It includes the
 * set, because listeners of two sets may have the same name.
 */
export function labelOf({ owner, listener: { name } }: ListenerReading): string {
  return owner.kind === "ListenerSet" ? `${owner.namespace}/${owner.name}/${name}` : name;
}

/** Whether requests for its hostname go to no other listener. */
export function holdsHosts(one: ListenerReading): boolean {
  return isUsable(one) || (one.refused?.keepsHosts === true && one.conflict === undefined);
}

/** Whether routes may be served on it. */
export function isUsable({ refused, conflict }: ListenerReading): boolean {
  return refused === undefined && conflict === undefined;
}
