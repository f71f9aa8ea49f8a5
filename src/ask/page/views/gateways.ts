/**
 * The view Gateways: the status that this controller wants each object of the Gateway API to have.
 */

import { visible } from "../../../base/visible.ts";
import type { GatewayListener, ParentReference } from "../../../core/model/gateway/objects.ts";
import type { DesiredCondition, DesiredListenerStatus, DesiredStatus } from "../../../core/model/gateway/status.ts";
import { type KubernetesObject, keyOf } from "../../../core/model/objects.ts";
import type { ConditionRow, GatewayRouteRow, GatewayRow, GatewaysAnswer, ListenerRow } from "../api/gateways.ts";
import { Listing, type ListQuery } from "../lists/listing.ts";
import { withoutCredentials } from "../shown.ts";
import type { PageSource } from "../source.ts";

const mostGateways = 50;

type Of<K extends DesiredStatus["kind"]> = Extract<DesiredStatus, { kind: K }>;

/** The content of the view, without a filter. */
export interface GatewayLists {
  readonly classes: GatewaysAnswer["classes"];
  readonly gateways: Listing<GatewayRow>;
  readonly routes: Listing<GatewayRouteRow>;
}

export function gatewayLists({ notes }: Pick<PageSource, "notes">): GatewayLists {
  const all = [...notes.statuses.values()].sort((a, b) => compared(keyOf(a.object), keyOf(b.object)));
  const of = <K extends DesiredStatus["kind"]>(kind: K) => all.filter((one): one is Of<K> => one.kind === kind);
  return {
    classes: of("GatewayClass").map(({ object, conditions }) => ({
      name: visible(object.metadata.name),
      conditions: conditions.map(conditionRow),
    })),
    gateways: new Listing([...of("Gateway"), ...of("ListenerSet")].map(gatewayRow), {
      sorts: { name: ({ kind, name }) => `${kind} ${name}` },
      texts: ({ kind, name, parent, addresses, conditions, listeners }) => [
        `${kind} ${name}`,
        parent,
        ...addresses,
        ...wordsOf(conditions),
        ...listeners.flatMap((one) => [
          one.name,
          `${one.port} ${one.protocol}`,
          one.hostname,
          ...wordsOf(one.conditions),
        ]),
      ],
    }),
    routes: new Listing(of("route").flatMap(routeRows), {
      sorts: {
        route: ({ kind, name }) => `${name} ${kind}`,
        hostnames: ({ hostnames }) => hostnames[0] ?? "",
        parent: ({ parent }) => parent,
        conditions: ({ isFaulty }) => (isFaulty ? 0 : 1),
      },
      texts: ({ kind, name, hostnames, parent, conditions }) => [
        `${kind} ${name}`,
        ...hostnames,
        parent,
        ...wordsOf(conditions),
      ],
    }),
  };
}

export function gatewaysAnswer({ classes, gateways, routes }: GatewayLists, query: ListQuery): GatewaysAnswer {
  const { rows, matched, total } = gateways.page({
    ...query,
    ...{ sort: "", descending: false },
    offset: 0,
    limit: mostGateways,
  });
  return {
    ...routes.page(query),
    classes,
    gateways: rows,
    moreGateways: matched - rows.length,
    totalGateways: total,
  };
}

const wordsOf = (conditions: readonly ConditionRow[]): readonly string[] =>
  conditions.map(({ type, status, reason, message }) => `${type} ${status} ${reason} ${message}`);

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
  return parents.map(({ parentRef, conditions: wanted }) => {
    const conditions = wanted.map(conditionRow);
    return {
      isFaulty: conditions.some(({ isGood }) => !isGood),
      kind: object.kind,
      name: visible(keyOf(object)),
      hostnames: hostnames.map(visible),
      parent: visible(parentWords(parentRef, object)),
      conditions,
    };
  });
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

/** Conditions that report a mistake when they are True. */
const badWhenTrue = ["Conflicted", "OverlappingTLSConfig", "PartiallyInvalid", "InsecureFrontendValidationMode"];

function conditionRow({ type, status, reason, message }: DesiredCondition): ConditionRow {
  const isGood = status !== "Unknown" && (status === "True") !== badWhenTrue.includes(type);
  return { type, status, reason, message: withoutCredentials(visible(message)), isGood };
}

function compared(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}
