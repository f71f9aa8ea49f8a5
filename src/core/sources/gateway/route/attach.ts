/** Finds the listeners to which a route is attached, for each of its parents. */
import { didYouMean } from "../../../../base/did-you-mean.ts";
import { nearest } from "../../../kinds/nearest.ts";
import { gatewayGroup, type ParentReference, type Route } from "../../../model/gateway/objects.ts";
import { type Namespace, nameOf } from "../../../model/objects.ts";
import type { ObjectName, Problem } from "../../../model/problem.ts";
import { type HostPolicy, noHostPolicy, permits } from "../../host-policy/policy.ts";
import type { Fault } from "../conditions.ts";
import { intersect } from "../hostnames.ts";
import { usesDefaults } from "../listener/default-gateways.ts";
import { isSelected } from "../namespaces.ts";
import type { ListenerReading, ParentReading } from "../reading.ts";

export interface Attachment {
  readonly parentRef: ParentReference;
  /** `spec.parentRefs[0]`. */
  readonly field: string;
  readonly parent: ParentReading;
  /** The listeners that accept the route. If there are none, `fault` has the reason. */
  readonly listeners: readonly ListenerReading[];
  readonly fault: Fault | undefined;
  /** Hosts that the host policy gives to other namespaces, if the route keeps other hosts. */
  readonly refusedHosts: readonly Problem[];
}

export interface AttachWorld {
  /** `metadata.kind` of the routes. */
  readonly kind: string;
  /**
   * Returns this controller's Gateway or ListenerSet with a name such as `Gateway shop/public` or
   * `ListenerSet shop/more`.
   */
  parent(called: string): ParentReading | undefined;
  /** The default Gateways of this controller, as `namespace/name`. */
  readonly defaults: readonly string[];
  namespace(name: string): Namespace | undefined;
  readonly hostPolicy: HostPolicy;
}

/**
 * Returns all Gateways and ListenerSets that a route names, such as `Gateway shop/public`.
 * `defaults` are the default Gateways, as `namespace/name`.
 */
export function parentsNamed(route: Route, defaults: readonly string[] = []): string[] {
  const { namespace = "default" } = route.metadata;
  return parentsOf(route, defaults)
    .filter(({ parentRef }) => isKnown(parentRef))
    .map(({ parentRef }) => calledOf(parentRef, namespace));
}

/**
 * Returns the parents of a route with their fields. A route that uses the default Gateways counts
 * as if it named each of them as a whole.
 */
function parentsOf(route: Route, defaults: readonly string[]): readonly Pick<Attachment, "parentRef" | "field">[] {
  const { spec, metadata } = route;
  const named = (spec?.parentRefs ?? []).map((parentRef, at) => ({ parentRef, field: `spec.parentRefs[${at}]` }));
  if (!usesDefaults(route) || defaults.length === 0) return named;
  const whole = named.filter(({ parentRef: { sectionName, port } }) => sectionName === undefined && port === undefined);
  const taken = new Set(whole.map(({ parentRef }) => calledOf(parentRef, metadata.namespace ?? "default")));
  const added = defaults
    .filter((key) => !taken.has(`Gateway ${key}`))
    .map((key) => ({
      parentRef: { group: gatewayGroup, kind: "Gateway", ...nameOf(key) },
      field: "spec.useDefaultGateways",
    }));
  return [...named, ...added];
}

/**
 * Returns one attachment for each parent of this controller. A route that names a Gateway is not
 * attached to the ListenerSets of that Gateway.
 */
export function attachmentsOf(route: Route, world: AttachWorld): Attachment[] {
  const { namespace = "default" } = route.metadata;
  return parentsOf(route, world.defaults).flatMap(({ parentRef, field }) => {
    if (!isKnown(parentRef)) return [];
    const parent = world.parent(calledOf(parentRef, namespace));
    if (parent === undefined) return [];
    return [{ parentRef, field, parent, ...listenersOf(route, parentRef, field, parent, world) }];
  });
}

function isKnown({ group = gatewayGroup, kind = "Gateway" }: ParentReference): boolean {
  return group === gatewayGroup && (kind === "Gateway" || kind === "ListenerSet");
}

function calledOf({ kind = "Gateway", namespace, name }: ParentReference, own: string): string {
  return `${kind} ${namespace ?? own}/${name}`;
}

function listenersOf(
  route: Route,
  { sectionName, port }: ParentReference,
  field: string,
  { called, listeners, notAllowed }: ParentReading,
  world: AttachWorld,
): Taking {
  const { namespace = "default", name } = route.metadata;
  const object = { kind: world.kind, namespace, name };
  const refused = (reason: string, part: string, why: string): Taking => {
    const done = "the route is not attached there";
    const problem: Problem = { object, kind: "reference-forbidden", field: part, why, done };
    return { listeners: [], fault: { reason, problem }, refusedHosts: [] };
  };
  if (notAllowed !== undefined) return refused("NoMatchingParent", field, `${called} is not attached to its Gateway`);
  const named = listenersCalled(listeners, sectionName).filter(
    ({ listener }) => port === undefined || listener.port === port,
  );
  const which = [
    ...(sectionName === undefined ? [] : [`named ${sectionName}`]),
    ...(port === undefined ? [] : [`on port ${port}`]),
  ].join(" ");
  if (named.length === 0) {
    const names = listeners.map(({ listener }) => listener.name);
    const meant = sectionName === undefined || names.includes(sectionName) ? undefined : nearest(sectionName, names);
    const whose = `${called} has no listener${which === "" ? "" : ` ${which}`}`;
    return refused("NoMatchingParent", field, `${whose}${didYouMean(meant)}`);
  }
  const whose = `${named.length === 1 ? `listener ${named[0]!.listener.name}` : "no listener"} of ${called}`;
  const not = named.length === 1 ? " not" : "";
  const ofKind = named.filter(({ kinds }) => kinds.some(({ kind }) => kind === world.kind));
  if (ofKind.length === 0) {
    return refused("NotAllowedByListeners", field, `${whose} does${not} take ${world.kind}s`);
  }
  const allowed = ofKind.filter((one) => isAllowed(one, namespace, world));
  if (allowed.length === 0) {
    return refused("NotAllowedByListeners", field, `${whose} does${not} take routes of namespace ${namespace}`);
  }
  const hostnames = hostnamesOf(route);
  const hostsAt = hostsBy(hostnames);
  const taking = allowed.filter((one) => hostsAt(one).length > 0);
  if (taking.length === 0) {
    const theirs = allowed.map(({ hostname }) => hostname).join(", ");
    const why = `none of ${hostnames.join(", ")} is a host of ${called}, whose listeners take ${theirs}`;
    return refused("NoMatchingListenerHostname", "spec.hostnames", why);
  }
  if (world.hostPolicy === noHostPolicy) return { listeners: taking, fault: undefined, refusedHosts: [] };
  const isPermitted = (host: string) => permits(world.hostPolicy, namespace, host);
  const permittedAt = hostsBy(hostnames, isPermitted);
  const permitted = taking.filter((one) => permittedAt(one).length > 0);
  const each = new Map(taking.map((one) => [one.hostname, one])).values();
  const wanted = [...new Set([...each].flatMap((one) => hostsAt(one).map((host) => takenHost(one, host))))];
  const refusedHosts = wanted
    .filter((host) => !isPermitted(host))
    .map((host) => refusedHost(object, hostnames.indexOf(host), host, world.hostPolicy));
  const [first] = refusedHosts;
  if (permitted.length > 0 || first === undefined) return { listeners: permitted, fault: undefined, refusedHosts };
  return { listeners: [], fault: { reason: "NotAllowedByHostPolicy", problem: first }, refusedHosts };
}

const byName = new WeakMap<readonly ListenerReading[], ReadonlyMap<string, readonly ListenerReading[]>>();

/**
 * Returns the listeners with this name, by an index, because a Gateway may have a listener for each
 * route.
 */
function listenersCalled(all: readonly ListenerReading[], sectionName: string | undefined): readonly ListenerReading[] {
  if (sectionName === undefined) return all;
  const known = byName.get(all) ?? Map.groupBy(all, ({ listener }) => listener.name);
  byName.set(all, known);
  return known.get(sectionName) ?? [];
}

type Taking = Pick<Attachment, "listeners" | "fault" | "refusedHosts">;

function refusedHost(object: ObjectName, at: number, host: string, policy: HostPolicy): Problem {
  const field = at < 0 ? "spec.hostnames" : `spec.hostnames[${at}]`;
  return { object, kind: "host-refused", field, host: host === "_" ? "*" : host, owners: policy.ownersOf(host) ?? [] };
}

/** Returns the host in question: the listener's if the route names none. */
export const takenHost = ({ hostname }: ListenerReading, host: string): string => (host === "_" ? hostname : host);

/** Returns the hostnames of a route in lower case. */
export function hostnamesOf(route: Route): readonly string[] {
  return (route.spec?.hostnames ?? []).map((hostname) => hostname.toLowerCase());
}

/**
 * Returns the hosts of a route on a listener, as the route has them. They need not be narrowed to
 * the listener's hostname, because a request has found the listener by its host before. Among the
 * routes of the listener the longest hostname counts first. It is `_` if the route names none.
 */
export function hostsOn(
  listener: ListenerReading,
  hostnames: readonly string[],
  isPermitted: (host: string) => boolean = () => true,
): readonly string[] {
  const hosts = hostnames.length === 0 ? ["_"] : hostnames.filter((one) => intersect(listener.hostname, one));
  return hosts.filter((host) => isPermitted(takenHost(listener, host)));
}

/**
 * Returns `hostsOn` for many listeners of one route. Those with one hostname have the same hosts,
 * which are found once: 1,024 hostnames on 2,048 listeners would take a second.
 */
export function hostsBy(
  hostnames: readonly string[],
  isPermitted?: (host: string) => boolean,
): (listener: ListenerReading) => readonly string[] {
  const known = new Map<string, readonly string[]>();
  return (listener) => {
    const hosts = known.get(listener.hostname) ?? hostsOn(listener, hostnames, isPermitted);
    known.set(listener.hostname, hosts);
    return hosts;
  };
}

function isAllowed({ listener, owner }: ListenerReading, namespace: string, world: AttachWorld): boolean {
  const namespaces = listener.allowedRoutes?.namespaces ?? {};
  return isSelected(namespaces, "Same", namespace, owner.namespace, (name) => world.namespace(name));
}
