/**
 * Makes the whole status of an object: the wanted parts, and the present parts that belong to other
 * controllers.
 */
import { isDeepStrictEqual } from "node:util";
import type { BackendTLSPolicy, PolicyAncestorStatus } from "../../../core/model/gateway/backend-tls-policy.ts";
import type { ListenerSet } from "../../../core/model/gateway/listener-set.ts";
import {
  type Condition,
  type Gateway,
  type GatewayClass,
  gatewayGroup,
  type ParentReference,
  type Route,
  type RouteParentStatus,
} from "../../../core/model/gateway/objects.ts";
import type { DesiredCondition, DesiredStatus } from "../../../core/model/gateway/status.ts";
import type { KubernetesObject } from "../../../core/model/objects.ts";
import { conditionsOf, type Observation } from "./conditions.ts";

export interface Writer {
  /** The name of this controller. Entries of routes and policies with this name are its own. */
  readonly controllerName: string;
  /** The time of changed conditions, as RFC 3339. */
  readonly at: string;
}

type Of<K extends DesiredStatus["kind"]> = Extract<DesiredStatus, { readonly kind: K }>;
type Status = Readonly<Record<string, unknown>>;

/**
 * Returns the status to write; undefined if `newest` has it already, or is a new object with the
 * same name.
 */
export function mergedStatus(newest: KubernetesObject, wanted: DesiredStatus, writer: Writer): Status | undefined {
  const { uid, generation = 0 } = wanted.object.metadata;
  if (newest.metadata.uid !== uid) return undefined;
  const present = (newest as { readonly status?: Status }).status ?? {};
  const status = { ...present, ...partsOf(newest, wanted, writer, { generation, at: writer.at }) };
  return isDeepStrictEqual(withoutEmpty(status), withoutEmpty(present)) ? undefined : status;
}

function partsOf(newest: KubernetesObject, wanted: DesiredStatus, writer: Writer, seen: Observation): Status {
  const about = { namespace: newest.metadata.namespace ?? "", controllerName: writer.controllerName, seen };
  switch (wanted.kind) {
    case "GatewayClass":
      return classParts(newest as GatewayClass, wanted, seen);
    case "Gateway":
      return gatewayParts(newest as Gateway, wanted, seen);
    case "ListenerSet":
      return listenerParts(newest as ListenerSet, wanted, seen);
    case "route": {
      const present = (newest as Route).status?.parents ?? [];
      const entries = wanted.parents.map(({ parentRef, conditions }) => ({ ref: parentRef, conditions }));
      return { parents: entriesOf(parents, present, entries, about).slice(0, mostParents) };
    }
    case "policy": {
      const present = (newest as BackendTLSPolicy).status?.ancestors ?? [];
      const entries = wanted.ancestors.map(({ ancestorRef, conditions }) => ({ ref: ancestorRef, conditions }));
      return { ancestors: entriesOf(ancestors, present, entries, about).slice(0, mostAncestors) };
    }
  }
}

function classParts({ status }: GatewayClass, wanted: Of<"GatewayClass">, seen: Observation): Status {
  return {
    conditions: conditionsOf(wanted.conditions, status?.conditions ?? [], seen),
    supportedFeatures: wanted.supportedFeatures.map((name) => ({ name })),
  };
}

function gatewayParts(newest: Gateway, wanted: Of<"Gateway">, seen: Observation): Status {
  const { addresses, attachedListenerSets } = wanted;
  return { addresses, attachedListenerSets, ...listenerParts(newest, wanted, seen) };
}

/** Returns the part that Gateways and ListenerSets have in common. */
function listenerParts(
  { status }: Gateway | ListenerSet,
  wanted: Of<"Gateway" | "ListenerSet">,
  seen: Observation,
): Status {
  return {
    conditions: conditionsOf(wanted.conditions, status?.conditions ?? [], seen),
    listeners: wanted.listeners.map(({ name, supportedKinds, attachedRoutes, conditions }) => {
      const before = status?.listeners?.find((one) => one.name === name);
      const merged = conditionsOf(conditions, before?.conditions ?? [], seen);
      return { name, supportedKinds, attachedRoutes, conditions: merged };
    }),
  };
}

/** An entry of a list that several controllers write, either a present or a wanted one. */
interface Entry {
  readonly ref: ParentReference;
  readonly conditions: readonly DesiredCondition[];
}

interface Written {
  readonly controllerName: string;
  readonly conditions?: readonly Condition[];
}

/** Describes a list: how its entries name their subject. */
interface List<T extends Written> {
  readonly refOf: (entry: T) => ParentReference;
  readonly entryOf: (ref: ParentReference, controllerName: string, conditions: readonly Condition[]) => T;
}

const parents: List<RouteParentStatus> = {
  refOf: ({ parentRef }) => parentRef,
  entryOf: (parentRef, controllerName, conditions) => ({ parentRef, controllerName, conditions }),
};
const ancestors: List<PolicyAncestorStatus> = {
  refOf: ({ ancestorRef }) => ancestorRef,
  entryOf: (ancestorRef, controllerName, conditions) => ({ ancestorRef, controllerName, conditions }),
};

/**
 * The most entries that the definitions allow; with more, the API server refuses the status.
 * Entries that are there, also those of other controllers, come before new ones.
 */
const mostParents = 32;
const mostAncestors = 16;

/** Returns the entries. Those of other controllers stay unchanged at their places. */
function entriesOf<T extends Written>(
  { refOf, entryOf }: List<T>,
  present: readonly T[],
  wanted: readonly Entry[],
  { namespace, controllerName, seen }: { namespace: string; controllerName: string; seen: Observation },
): readonly T[] {
  const missing = new Map(wanted.map((one) => [textOf(one.ref, namespace), one]));
  const merged = ({ ref, conditions }: Entry, before?: T) =>
    entryOf(ref, controllerName, conditionsOf(conditions, before?.conditions ?? [], seen));
  const kept = present.flatMap((entry) => {
    if (entry.controllerName !== controllerName) return [entry];
    const key = textOf(refOf(entry), namespace);
    const now = missing.get(key);
    missing.delete(key);
    return now === undefined ? [] : [merged(now, entry)];
  });
  return [...kept, ...[...missing.values()].map((one) => merged(one))];
}

/**
 * Returns a text that is equal for references to the same parent, with or without the default
 * values.
 */
function textOf({ group, kind, namespace, name, sectionName, port }: ParentReference, own: string): string {
  return JSON.stringify([
    group ?? gatewayGroup,
    kind ?? "Gateway",
    namespace ?? own,
    name,
    sectionName ?? "",
    port ?? 0,
  ]);
}

/**
 * Removes empty lists, which mean the same as missing ones, and a number of ListenerSets that is 0.
 */
function withoutEmpty(status: Status): Status {
  const isEmpty = (part: unknown) => part === 0 || (Array.isArray(part) && part.length === 0);
  return Object.fromEntries(Object.entries(status).filter(([, part]) => !isEmpty(part)));
}
