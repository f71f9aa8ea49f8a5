/**
 * Finds the ports on which nginx listens for Gateways: ports for requests and ports for streams. A
 * Gateway with an address of its own shares no port with others. Without one, Gateways share the
 * ports of this machine, and the older Gateway gets a port that two of them need.
 */
import { portKey } from "../../model/gateway/services.ts";
import type { Listener, ListenerPort } from "../../model/listeners.ts";
import type { Owner } from "../../model/owner.ts";
import type { Problem } from "../../model/problem.ts";
import type { RequestsBeside, StreamPort } from "../../model/streams.ts";
import type { TranslateOptions } from "../../table/options.ts";
import type { Assignment } from "./addresses.ts";
import type { Fault } from "./conditions.ts";
import { allListeners, type GatewayReading, holdsHosts, isUsable, type ListenerReading, labelOf } from "./reading.ts";
import { streamPorts } from "./stream-ports.ts";

export interface Placed {
  readonly ports: readonly ListenerPort[];
  readonly streams: readonly StreamPort[];
  /** The reason why a port is not available, by id of the listener. */
  readonly unavailable: ReadonlyMap<string, Fault>;
}

export type PortOptions = Pick<TranslateOptions, "gateway" | "reservedPorts" | "enableSslPassthrough">;

/**
 * Returns the ports of one Gateway that has addresses. Ports of its first address have an id
 * without the address. `tcpServices` are the ports of TCP services, which the stream module has on
 * all addresses. There it may have the port of a stream as well, but requests need another one.
 */
export function ownPorts(
  reading: GatewayReading,
  { addresses }: Assignment,
  options: PortOptions,
  tcpServices: ReadonlySet<number> = new Set(),
): Placed {
  const unavailable = new Map<string, Fault>();
  const { httpPort, httpsPort } = options.gateway;
  const listeners = allListeners(reading);
  for (const one of listeners.filter(holdsHosts)) {
    const { port } = one.listener;
    // Ingresses use these ports on all addresses, and nginx prefers the socket with an address.
    const isBeside = port === httpPort || port === httpsPort;
    const by = isBeside ? undefined : options.reservedPorts.get(port);
    if (by !== undefined) unavailable.set(one.id, faultOf(one, `port ${port} is that of ${by}`));
    else if (one.stream === undefined && tcpServices.has(port)) {
      unavailable.set(one.id, faultOf(one, `port ${port} is that of a TCP service of the controller`));
    }
  }
  const requests = listeners.filter(({ stream }) => stream === undefined);
  const byPort = Map.groupBy(requests, ({ listener }) => listener.port);
  const ports = [...byPort].flatMap(([port, all]) => {
    const usable = all.filter((one) => isUsable(one) && !unavailable.has(one.id));
    if (usable.length === 0) return [];
    const id = `${reading.key}:${port}`;
    return addresses.map((address, at): ListenerPort => {
      return {
        id: at === 0 ? id : `${id}@${address}`,
        address,
        listenPort: port,
        port,
        tls: usable.some(({ tls }) => tls),
        owners: ownersOf(usable),
        listeners: listenersOn(all, () => reading.key, unavailable),
      };
    });
  });
  const isServed = (one: ListenerReading) => isUsable(one) && !unavailable.has(one.id);
  const found = streamPorts(reading.key, listeners, isServed, ({ listener }) => listener.port, besideOf(ports));
  const streams = addresses.flatMap((address, at) =>
    found.map((port) => ({ ...port, id: at === 0 ? port.id : `${port.id}@${address}`, address })),
  );
  return { ports, streams, unavailable };
}

/**
 * Returns the hostnames of requests by the port on which nginx listens, for ports that take
 * requests.
 */
export function besideOf(
  ports: readonly ListenerPort[],
  ofIngresses?: number,
): (listenPort: number) => RequestsBeside | undefined {
  return (listenPort) => {
    const ingresses = listenPort === ofIngresses;
    const port = ports.find((one) => one.listenPort === listenPort);
    if (port === undefined && !ingresses) return undefined;
    return { hostnames: port?.listeners.map(({ hostname }) => hostname) ?? [], ingresses };
  };
}

/**
 * Returns the ports of one Gateway with a Service of its own. A port that has no target port yet is
 * left out.
 */
export function servicePorts(reading: GatewayReading, targets: Readonly<Record<string, number>>): Placed {
  const unavailable = new Map<string, Fault>();
  const listeners = allListeners(reading);
  const requests = listeners.filter(({ stream }) => stream === undefined);
  const byPort = Map.groupBy(requests, ({ listener }) => listener.port);
  const ports = [...byPort].flatMap(([port, all]): ListenerPort[] => {
    const usable = all.filter(isUsable);
    const listenPort = targets[portKey({ port, protocol: "TCP" })];
    if (usable.length === 0 || listenPort === undefined) return [];
    const tls = usable.some((one) => one.tls);
    const own = listenersOn(all, () => reading.key, unavailable);
    const owners = ownersOf(usable);
    return [{ id: `${reading.key}:${port}`, address: undefined, listenPort, port, tls, owners, listeners: own }];
  });
  const targetOf = ({ listener: { port }, stream }: ListenerReading) =>
    targets[portKey({ port, protocol: stream === "udp" ? "UDP" : "TCP" })];
  const isServed = (one: ListenerReading) => isUsable(one) && !unavailable.has(one.id) && targetOf(one) !== undefined;
  const streams = streamPorts(reading.key, listeners, isServed, (one) => targetOf(one) ?? 0, besideOf(ports));
  return { ports, streams, unavailable };
}

/**
 * A cache of listeners, because there may be thousands on one port: listeners that are the same
 * objects as before need no comparison.
 */
const made = new WeakMap<ListenerReading, Listener>();

const open = { keepsHosts: true };

/**
 * Returns at most one listener for each hostname. A listener with a conflict within its own object,
 * or one that is closed, is included without routes, so that its hosts do not go to a listener with
 * a less specific hostname.
 */
export function listenersOn(
  all: readonly ListenerReading[],
  gatewayOf: (one: ListenerReading) => string,
  unavailable: ReadonlyMap<string, Fault>,
): readonly Listener[] {
  const byHostname = new Map<string, Listener>();
  for (const one of all) {
    const { id, hostname, certificates } = one;
    const isHere = (one.refused ?? open).keepsHosts === true && !one.isBeaten && !unavailable.has(id);
    if (!isHere || byHostname.has(hostname)) continue;
    const same = made.get(one) ?? { id, name: labelOf(one), gateway: gatewayOf(one), hostname, certificates };
    made.set(one, same);
    byHostname.set(hostname, same);
  }
  return [...byHostname.values()];
}

export function ownersOf(listeners: readonly ListenerReading[]): readonly Owner[] {
  return [...new Set(listeners.map(({ owner }) => owner))];
}

export function faultOf({ owner, field }: ListenerReading, why: string): Fault {
  const done = "the listener is not served";
  const problem: Problem = { object: owner, kind: "claim-lost", field: `${field}.port`, why, done };
  return { reason: "PortUnavailable", problem };
}
