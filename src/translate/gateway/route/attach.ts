/** To which listeners a route is attached, for each of its parents. */
import { gatewayGroup, type LabelSelector, type ParentReference, type Route } from "../../../model/gateway/objects.ts";
import type { Namespace } from "../../../model/objects.ts";
import type { Problem } from "../../../problem.ts";
import type { Fault } from "../conditions.ts";
import { intersect } from "../hostnames.ts";
import type { GatewayReading, ListenerReading } from "../reading.ts";

export interface Attachment {
  readonly parentRef: ParentReference;
  /** `spec.parentRefs[0]`. */
  readonly field: string;
  readonly gateway: GatewayReading;
  /** Those that take the route; empty where `fault` says why. */
  readonly listeners: readonly ListenerReading[];
  readonly fault: Fault | undefined;
}

export interface AttachWorld {
  /** That of the routes. */
  readonly kind: string;
  /** A Gateway of ours by `namespace/name`. */
  gateway(key: string): GatewayReading | undefined;
  namespace(name: string): Namespace | undefined;
}

/** `namespace/name` of the Gateways that a route names, ours or not. */
export function parentKeys({ spec, metadata: { namespace = "default" } }: Route): string[] {
  return (spec?.parentRefs ?? []).filter(isGateway).map((parent) => `${parent.namespace ?? namespace}/${parent.name}`);
}

/** One for each parent that is a Gateway of ours. */
export function attachmentsOf(route: Route, world: AttachWorld): Attachment[] {
  const { namespace = "default" } = route.metadata;
  return (route.spec?.parentRefs ?? []).flatMap((parentRef, at) => {
    if (!isGateway(parentRef)) return [];
    const gateway = world.gateway(`${parentRef.namespace ?? namespace}/${parentRef.name}`);
    if (gateway === undefined) return [];
    const field = `spec.parentRefs[${at}]`;
    return [{ parentRef, field, gateway, ...listenersOf(route, parentRef, field, gateway, world) }];
  });
}

function isGateway({ group = gatewayGroup, kind = "Gateway" }: ParentReference): boolean {
  return group === gatewayGroup && kind === "Gateway";
}

function listenersOf(
  { metadata: { namespace = "default", name }, spec }: Route,
  { sectionName, port }: ParentReference,
  field: string,
  { key, gateway, listeners }: GatewayReading,
  world: AttachWorld,
): Pick<Attachment, "listeners" | "fault"> {
  const object = { kind: world.kind, namespace, name };
  const refused = (reason: string, part: string, why: string): Pick<Attachment, "listeners" | "fault"> => {
    const done = "the route is not attached there";
    const problem: Problem = { object, kind: "field-unusable", field: part, why, done };
    return { listeners: [], fault: { reason, problem } };
  };
  const named = listeners.filter(
    ({ listener }) =>
      (sectionName === undefined || listener.name === sectionName) && (port === undefined || listener.port === port),
  );
  const which = [
    ...(sectionName === undefined ? [] : [`named ${sectionName}`]),
    ...(port === undefined ? [] : [`on port ${port}`]),
  ].join(" ");
  if (named.length === 0) {
    return refused("NoMatchingParent", field, `Gateway ${key} has no listener${which === "" ? "" : ` ${which}`}`);
  }
  const whose = `${named.length === 1 ? `listener ${named[0]!.listener.name}` : "no listener"} of Gateway ${key}`;
  const not = named.length === 1 ? " not" : "";
  const ofKind = named.filter(({ kinds }) => kinds.some(({ kind }) => kind === world.kind));
  if (ofKind.length === 0) {
    return refused("NotAllowedByListeners", field, `${whose} does${not} take ${world.kind}s`);
  }
  const home = gateway.metadata.namespace ?? "default";
  const allowed = ofKind.filter((one) => isAllowed(one, namespace, home, world));
  if (allowed.length === 0) {
    return refused("NotAllowedByListeners", field, `${whose} does${not} take routes of namespace ${namespace}`);
  }
  const hostnames = (spec?.hostnames ?? []).map((hostname) => hostname.toLowerCase());
  const taking = allowed.filter((one) => hostsOn(one, hostnames).length > 0);
  if (taking.length === 0) {
    const theirs = allowed.map(({ hostname }) => hostname).join(", ");
    const why = `none of ${hostnames.join(", ")} is a host of Gateway ${key}, whose listeners take ${theirs}`;
    return refused("NoMatchingListenerHostname", "spec.hostnames", why);
  }
  return { listeners: taking, fault: undefined };
}

/**
 * The hosts of a route on a listener, as the route has them: a request that comes to it has a host of the listener's already,
 * and among the routes there the longest hostname of a route's own comes first. `_` where the route names none.
 */
export function hostsOn({ hostname }: ListenerReading, hostnames: readonly string[]): readonly string[] {
  if (hostnames.length === 0) return ["_"];
  return hostnames.filter((one) => intersect(hostname, one));
}

function isAllowed({ listener }: ListenerReading, namespace: string, home: string, world: AttachWorld): boolean {
  const { from = "Same", selector } = listener.allowedRoutes?.namespaces ?? {};
  if (from === "All") return true;
  if (from === "Same") return namespace === home;
  if (from !== "Selector" || selector === undefined) return false;
  return selects(selector, labelsOf(namespace, world.namespace(namespace)));
}

/** The API server gives each namespace the label of its name; a folder of files may have no object for it. */
function labelsOf(name: string, namespace: Namespace | undefined): Readonly<Record<string, string>> {
  return { "kubernetes.io/metadata.name": name, ...namespace?.metadata.labels };
}

function selects({ matchLabels = {}, matchExpressions = [] }: LabelSelector, labels: Readonly<Record<string, string>>) {
  return (
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every(({ key, operator, values = [] }) => {
      const value = labels[key];
      if (operator === "In") return value !== undefined && values.includes(value);
      if (operator === "NotIn") return value === undefined || !values.includes(value);
      if (operator === "Exists") return value !== undefined;
      return operator === "DoesNotExist" && value === undefined;
    })
  );
}
