/** The whole status that an object gets: what is wanted, and what of the present status belongs to others. */
import { isDeepStrictEqual } from "node:util";
import {
  type Gateway,
  type GatewayClass,
  gatewayGroup,
  type HTTPRoute,
  type ParentReference,
  type RouteParentStatus,
} from "../../model/gateway/objects.ts";
import type { DesiredParentStatus, DesiredStatus } from "../../model/gateway/status.ts";
import type { KubernetesObject } from "../../model/objects.ts";
import { conditionsOf, type Observation } from "./conditions.ts";

export interface Writer {
  /** The entries of a route that carry it are this controller's. */
  readonly controllerName: string;
  /** The time of conditions that change, as RFC 3339. */
  readonly at: string;
}

type Of<K extends DesiredStatus["kind"]> = Extract<DesiredStatus, { readonly kind: K }>;
type Status = Readonly<Record<string, unknown>>;

/** The status to be written; undefined where `newest` has it, or is an object that was made anew under the same name. */
export function mergedStatus(newest: KubernetesObject, wanted: DesiredStatus, writer: Writer): Status | undefined {
  const { uid, generation = 0 } = wanted.object.metadata;
  if (newest.metadata.uid !== uid) return undefined;
  const present = (newest as { readonly status?: Status }).status ?? {};
  const status = { ...present, ...partsOf(newest, wanted, writer, { generation, at: writer.at }) };
  return isDeepStrictEqual(withoutEmpty(status), withoutEmpty(present)) ? undefined : status;
}

function partsOf(newest: KubernetesObject, wanted: DesiredStatus, writer: Writer, seen: Observation): Status {
  switch (wanted.kind) {
    case "GatewayClass":
      return classParts(newest as GatewayClass, wanted, seen);
    case "Gateway":
      return gatewayParts(newest as Gateway, wanted, seen);
    case "route":
      return { parents: parentsOf(newest as HTTPRoute, wanted.parents, writer, seen) };
  }
}

function classParts({ status }: GatewayClass, wanted: Of<"GatewayClass">, seen: Observation): Status {
  return {
    conditions: conditionsOf(wanted.conditions, status?.conditions ?? [], seen),
    supportedFeatures: wanted.supportedFeatures.map((name) => ({ name })),
  };
}

function gatewayParts({ status }: Gateway, wanted: Of<"Gateway">, seen: Observation): Status {
  return {
    addresses: wanted.addresses,
    conditions: conditionsOf(wanted.conditions, status?.conditions ?? [], seen),
    listeners: wanted.listeners.map(({ name, supportedKinds, attachedRoutes, conditions }) => {
      const before = status?.listeners?.find((one) => one.name === name);
      const merged = conditionsOf(conditions, before?.conditions ?? [], seen);
      return { name, supportedKinds, attachedRoutes, conditions: merged };
    }),
  };
}

/** Entries of other controllers stay as they are and where they are. */
function parentsOf(
  { metadata, status }: HTTPRoute,
  wanted: readonly DesiredParentStatus[],
  { controllerName }: Writer,
  seen: Observation,
): readonly RouteParentStatus[] {
  const { namespace = "" } = metadata;
  const missing = new Map(wanted.map((one) => [textOf(one.parentRef, namespace), one]));
  const entryOf = ({ parentRef, conditions }: DesiredParentStatus, before: RouteParentStatus | undefined) => ({
    parentRef,
    controllerName,
    conditions: conditionsOf(conditions, before?.conditions ?? [], seen),
  });
  const kept = (status?.parents ?? []).flatMap((entry) => {
    if (entry.controllerName !== controllerName) return [entry];
    const key = textOf(entry.parentRef, namespace);
    const now = missing.get(key);
    missing.delete(key);
    return now === undefined ? [] : [entryOf(now, entry)];
  });
  return [...kept, ...[...missing.values()].map((one) => entryOf(one, undefined))];
}

/** Equal for references to the same parent, whether or not they name what is understood. */
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

/** Empty lists are the same as none. */
function withoutEmpty(status: Status): Status {
  return Object.fromEntries(Object.entries(status).filter(([, part]) => !Array.isArray(part) || part.length > 0));
}
