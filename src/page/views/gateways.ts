/**
 * The view Gateways: what the status of each object of the Gateway API says, as this controller
 * wants it.
 */

import type { GatewayListener, ParentReference } from "../../model/gateway/objects.ts";
import type { DesiredCondition, DesiredListenerStatus, DesiredStatus } from "../../model/gateway/status.ts";
import { type KubernetesObject, keyOf } from "../../model/objects.ts";
import { visible } from "../../visible.ts";
import type { ConditionRow, GatewayRouteRow, GatewayRow, GatewaysAnswer, ListenerRow } from "../api/gateways.ts";
import { withoutCredentials } from "../shown.ts";
import type { PageSource } from "../source.ts";

const mostRoutes = 1_000;

type Of<K extends DesiredStatus["kind"]> = Extract<DesiredStatus, { kind: K }>;

export function gatewaysAnswer({ notes }: Pick<PageSource, "notes">): GatewaysAnswer {
  const all = [...notes.statuses.values()].sort((a, b) => compared(keyOf(a.object), keyOf(b.object)));
  const of = <K extends DesiredStatus["kind"]>(kind: K) => all.filter((one): one is Of<K> => one.kind === kind);
  const routes = of("route");
  return {
    classes: of("GatewayClass").map(({ object, conditions }) => ({
      name: visible(object.metadata.name),
      conditions: conditions.map(conditionRow),
    })),
    gateways: [...of("Gateway"), ...of("ListenerSet")].map(gatewayRow),
    routes: routes.slice(0, mostRoutes).flatMap(routeRows),
    moreRoutes: Math.max(0, routes.length - mostRoutes),
  };
}

function gatewayRow(status: Of<"Gateway"> | Of<"ListenerSet">): GatewayRow {
  const { kind, object, conditions, listeners } = status;
  const { spec = {} } = object as KubernetesObject & { readonly spec?: GatewayLike };
  const { parentRef, gatewayClassName = "" } = spec;
  const parent =
    parentRef === undefined
      ? gatewayClassName
      : `${parentRef.namespace ?? object.metadata.namespace}/${parentRef.name}`;
  return {
    kind,
    name: visible(keyOf(object)),
    parent: visible(parent),
    addresses:
      kind === "Gateway" ? status.addresses.flatMap(({ value = "" }) => (value === "" ? [] : [visible(value)])) : [],
    conditions: conditions.map(conditionRow),
    listeners: listeners.map((one) => listenerRow(one, spec.listeners ?? [])),
  };
}

interface GatewayLike {
  readonly gatewayClassName?: string;
  readonly parentRef?: ParentReference;
  readonly listeners?: readonly GatewayListener[];
}

function listenerRow(
  { name, attachedRoutes, conditions }: DesiredListenerStatus,
  declared: readonly GatewayListener[],
): ListenerRow {
  const { port = 0, protocol = "", hostname = "" } = declared.find((one) => one.name === name) ?? {};
  return {
    name: visible(name),
    port,
    protocol: visible(protocol),
    hostname: visible(hostname),
    attachedRoutes,
    conditions: conditions.map(conditionRow),
  };
}

function routeRows({ object, parents }: Of<"route">): GatewayRouteRow[] {
  const { hostnames = [] } = (object as { readonly spec?: { readonly hostnames?: readonly string[] } }).spec ?? {};
  return parents.map(({ parentRef, conditions }) => ({
    kind: object.kind,
    name: visible(keyOf(object)),
    hostnames: hostnames.map(visible),
    parent: visible(parentWords(parentRef, object)),
    conditions: conditions.map(conditionRow),
  }));
}

function parentWords(
  { kind = "Gateway", namespace, name, sectionName, port }: ParentReference,
  route: KubernetesObject,
) {
  return [
    `${kind} ${namespace ?? route.metadata.namespace ?? "default"}/${name}`,
    ...(sectionName === undefined ? [] : [`listener ${sectionName}`]),
    ...(port === undefined ? [] : [`port ${port}`]),
  ].join(", ");
}

function conditionRow({ type, status, reason, message }: DesiredCondition): ConditionRow {
  return { type, status, reason, message: withoutCredentials(visible(message)) };
}

function compared(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}
