/**
 * The readings of a Gateway of ours, its ListenerSets and their listeners, once they have been
 * read.
 */
import type { Identity } from "../../model/backend-tls.ts";
import type { ListenerSet } from "../../model/gateway/listener-set.ts";
import type { Gateway, GatewayListener } from "../../model/gateway/objects.ts";
import type { ClientValidation } from "../../model/listeners.ts";
import type { ObjectKey } from "../../model/objects.ts";
import type { Owner } from "../../model/owner.ts";
import type { StreamProtocol } from "../../model/streams.ts";
import type { Problem } from "../../problem.ts";
import type { Fault } from "./conditions.ts";
import type { PartialParameters } from "./parameters.ts";

export interface RouteKind {
  readonly group: string;
  readonly kind: string;
}

export interface ListenerReading {
  /** `namespace/gateway/name`; that of a ListenerSet is `namespace/gateway/namespace/set/name`. */
  readonly id: string;
  /** The Gateway or the ListenerSet that has it. */
  readonly owner: Owner;
  /** `spec.listeners[0]`. */
  readonly field: string;
  readonly listener: GatewayListener;
  /** In lower case; empty: all hosts. */
  readonly hostname: string;
  /** Whether nginx decrypts what comes in. */
  readonly tls: boolean;
  /** Undefined where it takes requests. */
  readonly stream: StreamProtocol | undefined;
  readonly kinds: readonly RouteKind[];
  /** Why it is not accepted; undefined where it is. */
  readonly refused: Fault | undefined;
  /** Why it conflicts with others of the Gateway; undefined where it does not. */
  readonly conflict: Fault | undefined;
  /**
   * Whether a listener that comes first has what it asks for. Then it keeps nothing from those
   * behind it.
   */
  readonly isBeaten: boolean;
  /** Objects that it refers to and cannot have. */
  readonly unresolved: readonly Fault[];
  /** Names of listeners of its owner, on the same port, with which it has hosts in common. */
  readonly overlaps: readonly string[];
  /** Whether it has hosts in common with such listeners of other owners. */
  readonly overlapsOthers: boolean;
  /** `namespace/name` of Secrets with a usable pair; the first of each type of key. */
  readonly certificates: readonly string[];
  /**
   * The certificates that clients of its port have to show; absent: none. Where the authorities
   * cannot be had, it is refused.
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
  /** Why nginx refused the present form; absent where it did not. */
  readonly refused?: Problem;
  readonly listeners: readonly ListenerReading[];
  /** The certificate for its backends; absent: none. */
  readonly identity?: Identity;
  /** Objects that it refers to as a whole and cannot have. */
  readonly unresolved: readonly Fault[];
  /** Why the parameters that it refers to cannot be used. */
  readonly parameters: Problem | undefined;
  /** Its own parameters; undefined where it refers to none, or they cannot be used. */
  readonly values: PartialParameters | undefined;
  /** Fields that are not served, and make nothing else void. */
  readonly unserved: readonly Problem[];
  /** The attached sets, in the order of their precedence. */
  readonly sets: readonly SetReading[];
}

/** A ListenerSet whose Gateway is ours. */
export interface SetReading {
  /** `namespace/name`. */
  readonly key: string;
  /** Sets are in the order of this text: the oldest first, then by `namespace/name`. */
  readonly rank: string;
  /** `namespace/name` of its Gateway. */
  readonly gateway: string;
  /** The form that is in force. */
  readonly set: ListenerSet;
  /** The object in the cluster. */
  readonly present: ListenerSet;
  /** Why nginx refused the present form; absent where it did not. */
  readonly refused?: Problem;
  /** Why the Gateway does not take it; undefined where it does. Then it has no listeners. */
  readonly notAllowed: Problem | undefined;
  readonly listeners: readonly ListenerReading[];
  /** Fields that are not served, and make nothing else void. */
  readonly unserved: readonly Problem[];
}

/** A Gateway or a ListenerSet as its routes see it. */
export interface ParentReading {
  /** Like `Gateway shop/public`. */
  readonly called: string;
  /** `namespace/name` of the Gateway. */
  readonly gateway: string;
  readonly listeners: readonly ListenerReading[];
  /** Why the Gateway does not take the set. */
  readonly notAllowed: Problem | undefined;
}

/** Its own, then those of its ListenerSets. */
export function allListeners({ listeners, sets }: GatewayReading): readonly ListenerReading[] {
  return sets.length === 0 ? listeners : [...listeners, ...sets.flatMap((set) => set.listeners)];
}

/** Whether one of them is of this kind. No list is made: routes ask for each listener. */
export function hasListener({ listeners, sets }: GatewayReading, isOf: (one: ListenerReading) => boolean): boolean {
  return listeners.some(isOf) || sets.some((set) => set.listeners.some(isOf));
}

/**
 * The object that has a listener, like `Gateway shop/public` or `ListenerSet shop/more`, by the
 * listener's id.
 */
export function ownerOfListener(id: string): ObjectKey {
  const [namespace, name, ...more] = id.split("/");
  return more.length === 1 ? `Gateway ${namespace}/${name}` : `ListenerSet ${more[0]}/${more[1]}`;
}

/**
 * As logs and metrics name it beside its Gateway: a listener of a set may have the name of another
 * one.
 */
export function labelOf({ owner, listener: { name } }: ListenerReading): string {
  return owner.kind === "ListenerSet" ? `${owner.namespace}/${owner.name}/${name}` : name;
}

/** Whether routes may be served on it. */
export function isUsable({ refused, conflict }: ListenerReading): boolean {
  return refused === undefined && conflict === undefined;
}
