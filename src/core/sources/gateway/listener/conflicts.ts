/**
 * Finds conflicts between the listeners of a Gateway and its ListenerSets. Between two objects the
 * first one gets the port and the hostname: the Gateway, then the oldest set. Within one object all
 * listeners of a conflict are refused, because the Gateway API does not allow to choose one of
 * them.
 */
import type { GatewayListener } from "../../../model/gateway/objects.ts";
import type { Owner } from "../../../model/owner.ts";
import type { Problem } from "../../../model/problem.ts";
import type { Fault } from "../conditions.ts";
import { hasTls } from "../listeners.ts";
import type { ListenerReading } from "../reading.ts";

type Readings = readonly ListenerReading[];

/**
 * The most ports that the sets of a namespace may add. Each port costs a reload, a socket in every
 * worker, and a target port if the Gateway has a Service.
 */
const mostAddedPorts = 16;

/** A longer hostname is invalid and matches no host. It could have very many wildcards above it. */
const longestHostname = 253;

/**
 * Returns the listeners of each object with their conflicts. The objects are in the order of their
 * precedence, the Gateway first. The cost of a listener does not depend on the number of listeners.
 */
export function withConflicts(objects: readonly Readings[]): readonly Readings[] {
  const claims = new Claims();
  return withOverlaps(objects.map((listeners) => judged(listeners, claims)));
}

/**
 * Returns the listeners of one object with their conflicts. It is the same list if there are
 * none. Their claims are added to those of the objects before it.
 */
function judged(listeners: Readings, claims: Claims): Readings {
  const beaten = listeners.map((one) => claims.rivalOf(one));
  const left = listeners.filter((_, at) => beaten[at] === undefined);
  const own = new Claims();
  if (left.length > 1) for (const one of left) own.add(one);
  const surplus = new Set<ListenerReading>();
  for (const one of left) {
    if (claims.isSurplus(one)) surplus.add(one);
    else if (one.owner.kind === "Gateway" || one.refused === undefined || one.refused.keepsHosts) claims.add(one);
  }
  let isSame = true;
  const all = listeners.map((one, at): ListenerReading => {
    const rival = beaten[at];
    const twin = rival ?? own.rivalOf(one);
    if (twin === undefined && !surplus.has(one)) return one;
    isSame = false;
    if (twin === undefined) return { ...one, refused: surplusFault(one) };
    if (rival === undefined) return { ...one, conflict: faultOf(one, twin, "none of them is served") };
    return { ...one, conflict: faultOf(one, rival, "the listener is not served"), isBeaten: true };
  });
  return isSame ? listeners : all;
}

interface Rival {
  readonly reason: "ProtocolConflict" | "HostnameConflict";
  readonly by: ListenerReading;
}

/** The listeners for one port with one protocol. */
interface OfProtocol {
  readonly first: ListenerReading;
  /** The first listener of each hostname, and the second if there is one. */
  readonly hosts: Map<string, readonly [ListenerReading, ListenerReading?]>;
}

/** The ports and hostnames that listeners claim, in the order of their precedence. */
class Claims {
  /** Listeners by port and protocol. */
  readonly #ports = new Map<number, Map<string, OfProtocol>>();
  /** The number of ports that the sets of each namespace have added. */
  readonly #added = new Map<string, number>();

  add(one: ListenerReading): void {
    const { listener, hostname } = one;
    const port = portOf(listener);
    if (isOfTenant(one) && !this.#ports.has(port)) {
      const { namespace } = one.owner;
      this.#added.set(namespace, (this.#added.get(namespace) ?? 0) + 1);
    }
    const protocols = this.#ports.get(port) ?? new Map<string, OfProtocol>();
    this.#ports.set(port, protocols);
    const same = protocols.get(listener.protocol) ?? { first: one, hosts: new Map() };
    protocols.set(listener.protocol, same);
    const first = same.hosts.get(hostname)?.[0];
    same.hosts.set(hostname, first === undefined ? [one] : [first, one]);
  }

  /** Whether it needs one port more than the sets of a namespace may add. */
  isSurplus(one: ListenerReading): boolean {
    if (!isOfTenant(one) || this.#ports.has(portOf(one.listener))) return false;
    return (this.#added.get(one.owner.namespace) ?? 0) >= mostAddedPorts;
  }

  /** Returns the listener with which it has a conflict. */
  rivalOf(one: ListenerReading): Rival | undefined {
    const { protocol } = one.listener;
    const protocols = this.#ports.get(portOf(one.listener));
    if (protocols === undefined) return undefined;
    for (const [other, { first }] of protocols) {
      if (other !== protocol && !areTls(other, protocol)) return { reason: "ProtocolConflict", by: first };
    }
    const hasNames = protocol !== "TCP" && protocol !== "UDP";
    for (const { hosts } of protocols.values()) {
      const by = hosts.get(one.hostname)?.find((other) => other !== one);
      if (by !== undefined) return { reason: hasNames ? "HostnameConflict" : "ProtocolConflict", by };
    }
    return undefined;
  }
}

/** Whether its set is in another namespace than the Gateway. */
function isOfTenant({ owner, id }: ListenerReading): boolean {
  return owner.kind === "ListenerSet" && !id.startsWith(`${owner.namespace}/`);
}

function surplusFault({ owner, field }: ListenerReading): Fault {
  const why = `ListenerSets of namespace ${owner.namespace} have added ${mostAddedPorts} ports to the Gateway, which is the most`;
  const done = "the listener is not served";
  const problem: Problem = { object: owner, kind: "limit-exceeded", field: `${field}.port`, why, done };
  return { reason: "TooManyListeners", problem };
}

/** Returns a number for the port, in which ports of UDP and TCP differ. */
function portOf({ protocol, port }: GatewayListener): number {
  return protocol === "UDP" ? -port : port;
}

/** Whether one is HTTPS and the other TLS, which the names that clients send can distinguish. */
function areTls(one: string, other: string): boolean {
  const both = [one, other];
  return both.includes("TLS") && both.includes("HTTPS");
}

function faultOf({ owner, field, listener, hostname }: ListenerReading, { reason, by }: Rival, done: string): Fault {
  const isProtocol = reason === "ProtocolConflict";
  const host = hostname === "" ? "no hostname" : `hostname ${hostname}`;
  const why = isProtocol
    ? `${nameOf(by, owner)} has port ${listener.port} too, with protocol ${by.listener.protocol}`
    : `${nameOf(by, owner)} has ${host} on port ${listener.port} too`;
  const part = `${field}.${isProtocol ? "protocol" : "hostname"}`;
  const problem: Problem = { object: owner, kind: "claim-lost", field: part, why, done };
  return { reason, problem };
}

/**
 * Returns the listener's name for a message to another owner, which must not contain names of other
 * namespaces.
 */
function nameOf({ owner, listener }: ListenerReading, reader: Owner): string {
  if (owner.kind === "Gateway") return reader.kind === "Gateway" ? `listener ${listener.name}` : "the Gateway";
  if (owner.namespace !== reader.namespace) return "an older ListenerSet of another namespace";
  return owner.name === reader.name ? `listener ${listener.name}` : `the older ListenerSet ${owner.name}`;
}

/** Marks TLS listeners that have hosts in common with those of other objects. */
function withOverlaps(objects: readonly Readings[]): readonly Readings[] {
  if (objects.length === 1) return objects;
  const ports = new Map<number, Hostnames>();
  for (const listeners of objects) {
    for (const one of listeners) {
      if (!hasHosts(one)) continue;
      const { port } = one.listener;
      const hostnames = ports.get(port) ?? new Hostnames();
      hostnames.add(one);
      ports.set(port, hostnames);
    }
  }
  if (ports.size === 0) return objects;
  const overlaps = (one: ListenerReading) => hasHosts(one) && ports.get(one.listener.port)!.overlapsOthers(one);
  return objects.map((listeners) => {
    if (!listeners.some(overlaps)) return listeners;
    return listeners.map((one) => (overlaps(one) ? { ...one, overlapsOthers: true } : one));
  });
}

function hasHosts({ listener, hostname, isBeaten }: ListenerReading): boolean {
  return hasTls(listener) && !isBeaten && hostname.length <= longestHostname;
}

/** The hostnames of one port, each with the objects that have it or a hostname below it. */
class Hostnames {
  readonly #at = new Map<string, Owner | "several">();
  readonly #below = new Map<string, Owner | "several">();

  add({ hostname, owner }: ListenerReading): void {
    note(this.#at, hostname, owner);
    for (const wider of widerThan(hostname)) note(this.#below, wider, owner);
  }

  overlapsOthers({ hostname, owner }: ListenerReading): boolean {
    const isOther = (one: Owner | "several" | undefined) => one !== undefined && one !== owner;
    return (
      isOther(this.#below.get(hostname)) || [hostname, ...widerThan(hostname)].some((one) => isOther(this.#at.get(one)))
    );
  }
}

function note(owners: Map<string, Owner | "several">, hostname: string, owner: Owner): void {
  const before = owners.get(hostname);
  owners.set(hostname, before === undefined || before === owner ? owner : "several");
}

/**
 * Yields all wildcards that include the hosts of a hostname, and the empty hostname for all hosts.
 */
function* widerThan(hostname: string): Iterable<string> {
  if (hostname === "") return;
  const rest = hostname.startsWith("*.") ? hostname.slice(2) : hostname;
  for (let at = rest.indexOf("."); at >= 0; at = rest.indexOf(".", at + 1)) yield `*${rest.slice(at)}`;
  yield "";
}
