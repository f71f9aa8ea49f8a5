/**
 * The ports on which nginx listens for Gateways, those of requests and those of streams. With an address of its own each
 * Gateway has its ports to itself; without, Gateways share the ports of this machine, and the older one has what two of them
 * ask for.
 */
import { portKey } from "../../model/gateway/services.ts";
import type { Listener, ListenerPort } from "../../model/listeners.ts";
import type { Owner } from "../../model/owner.ts";
import type { StreamPort } from "../../model/streams.ts";
import { named, type Problem } from "../../problem.ts";
import type { TranslateOptions } from "../options.ts";
import type { Assignment } from "./addresses.ts";
import type { Fault } from "./conditions.ts";
import { byCreation, compared } from "./creation.ts";
import {
  allListeners,
  type GatewayReading,
  isUsable,
  type ListenerReading,
  labelOf,
  ownerOfListener,
} from "./reading.ts";
import { streamPorts } from "./stream-ports.ts";

export interface Placed {
  readonly ports: readonly ListenerPort[];
  readonly streams: readonly StreamPort[];
  /** By id of the listener: why its port cannot be had. */
  readonly unavailable: ReadonlyMap<string, Fault>;
}

type PortOptions = Pick<TranslateOptions, "gateway" | "reservedPorts" | "enableSslPassthrough">;

/** The ports of one Gateway that has addresses. Those of its first address have the plain id. */
export function ownPorts(reading: GatewayReading, { addresses }: Assignment, options: PortOptions): Placed {
  const unavailable = new Map<string, Fault>();
  const { httpPort, httpsPort } = options.gateway;
  const listeners = allListeners(reading);
  for (const one of listeners.filter(isUsable)) {
    const { port } = one.listener;
    const isBeside = one.stream === undefined && (port === httpPort || port === httpsPort);
    const by = isBeside ? undefined : options.reservedPorts.get(port);
    if (by !== undefined) unavailable.set(one.id, faultOf(one, `port ${port} is that of ${by}`));
    else if (isBesideHttps(one, listeners)) unavailable.set(one.id, faultOf(one, besideHttps));
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
  const found = streamPorts(reading.key, listeners, isServed, ({ listener }) => listener.port);
  const streams = addresses.flatMap((address, at) =>
    found.map((port) => ({ ...port, id: at === 0 ? port.id : `${port.id}@${address}`, address })),
  );
  return { ports, streams, unavailable };
}

const besideHttps = "HTTPS listeners have the port too, and nginx does not serve TLS listeners beside them yet";

function isBesideHttps(one: ListenerReading, all: readonly ListenerReading[]): boolean {
  if (one.stream !== "tls" || !isUsable(one)) return false;
  return all.some((other) => {
    return isUsable(other) && other.stream === undefined && other.listener.port === one.listener.port;
  });
}

/** The ports of one Gateway with a Service of its own; a port without a target port yet is not among them. */
export function servicePorts(reading: GatewayReading, targets: Readonly<Record<string, number>>): Placed {
  const unavailable = new Map<string, Fault>();
  const listeners = allListeners(reading);
  for (const one of listeners) if (isBesideHttps(one, listeners)) unavailable.set(one.id, faultOf(one, besideHttps));
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
  const streams = streamPorts(reading.key, listeners, isServed, (one) => targetOf(one) ?? 0);
  return { ports, streams, unavailable };
}

/**
 * The ports that all Gateways share. Ingresses have two of them, which listeners on 80 and 443 use: there the host decides whose
 * a request is. Listeners of all Gateways come before those of any ListenerSet.
 */
export function sharedPorts(readings: readonly GatewayReading[], options: PortOptions): Placed {
  const { httpPort, httpsPort } = options.gateway;
  const unavailable = new Map<string, Fault>();
  const taken = new Map<string, { readonly protocol: string; readonly by: ListenerReading | "Ingresses" }>([
    [`tcp ${httpPort}`, { protocol: "HTTP", by: "Ingresses" }],
    [`tcp ${httpsPort}`, { protocol: "HTTPS", by: "Ingresses" }],
  ]);
  const hosts = new Map<string, ListenerReading>();
  const oldest = readings.toSorted((one, other) => byCreation(one.gateway, other.gateway));
  const sets = oldest.flatMap((reading) => reading.sets).sort((one, other) => compared(one.rank, other.rank));
  const gatewayOf = new Map<string, string>([
    ...sets.map(({ key, gateway }) => [`ListenerSet ${key}`, gateway] as const),
    ...oldest.map(({ key }) => [`Gateway ${key}`, key] as const),
  ]);
  const all = [...oldest, ...sets].flatMap(({ listeners }) => listeners);
  const placeOf = ({ listener: { port } }: ListenerReading) => sharedPortOf(port, options);
  for (const one of all.filter(isUsable)) {
    const why = whyNot(one);
    if (why !== undefined) unavailable.set(one.id, faultOf(one, why));
  }
  const isServed = (one: ListenerReading) => isUsable(one) && !unavailable.has(one.id);
  const requests = all.filter(({ stream }) => stream === undefined);
  const ports = [...Map.groupBy(requests, placeOf)].flatMap(([port, on]): ListenerPort[] => {
    const served = on.filter(isServed);
    const owners = ownersOf(served);
    if (owners.length === 0) return [];
    return [
      {
        id: `*:${port}`,
        address: undefined,
        listenPort: port,
        port,
        ...(httpPort === 80 && httpsPort === 443 ? {} : { usualPorts: { http: httpPort, https: httpsPort } }),
        tls: served.some(({ tls }) => tls),
        owners,
        listeners: listenersOn(on, ({ id }) => gatewayOf.get(ownerOfListener(id))!, unavailable),
      },
    ];
  });
  return { ports, streams: streamPorts("*", all, isServed, placeOf), unavailable };

  function whyNot(one: ListenerReading): string | undefined {
    const { listener, stream, hostname } = one;
    const { protocol } = listener;
    const layer = stream === "udp" ? "udp" : "tcp";
    const place = placeOf(one);
    const said = place === listener.port ? `port ${place}` : `port ${listener.port} (${place} here)`;
    const isIngress = layer === "tcp" && (place === httpPort || place === httpsPort);
    const reserved = isIngress ? undefined : options.reservedPorts.get(place);
    if (reserved !== undefined) {
      return `port ${place} is that of ${reserved}, and Gateways without addresses of their own (--gateway-addresses) need another one`;
    }
    if (place === httpsPort && options.enableSslPassthrough) {
      return `${said} is that of --enable-ssl-passthrough, and Gateways without addresses of their own (--gateway-addresses) need another one`;
    }
    const other = taken.get(`${layer} ${place}`);
    const isAlone = stream === "tcp" || stream === "udp";
    if (other !== undefined && (other.protocol !== protocol || isAlone)) {
      const whose = other.by === "Ingresses" ? "Ingresses have" : `${olderOne(other.by, one)} has`;
      return `${whose} ${said} with protocol ${other.protocol}, and Gateways without addresses of their own share ports`;
    }
    const guard = other === undefined || other.by === "Ingresses" ? undefined : other.by.clients;
    if (other !== undefined && guard?.id !== one.clients?.id) {
      const whose = other.by === "Ingresses" ? "Ingresses have" : `${olderOne(other.by, one)} has`;
      return `${whose} ${said} and ${guard === undefined ? "no" : "other"} client certificates there, and Gateways without addresses of their own share ports`;
    }
    const key = `${layer} ${place} ${hostname}`;
    const older = hosts.get(key);
    if (older !== undefined) {
      const what = hostname === "" ? "all hosts" : hostname;
      return `${olderOne(older, one)} has ${what} on ${said}, and Gateways without addresses of their own share ports`;
    }
    hosts.set(key, one);
    if (other === undefined) taken.set(`${layer} ${place}`, { protocol, by: one });
    return undefined;
  }
}

/** The port on which nginx listens for a listener of a Gateway that shares the ports of this machine. */
export function sharedPortOf(
  port: number,
  { gateway: { httpPort, httpsPort } }: Pick<TranslateOptions, "gateway">,
): number {
  return port === 80 ? httpPort : port === 443 ? httpsPort : port;
}

/** Listeners that are the same objects as before need no comparing: there may be thousands on one port. */
const made = new WeakMap<ListenerReading, Listener>();

/**
 * At most one for each hostname. One that conflicts within its own object stands there without routes, so that its hosts do not
 * go to a listener which takes more hosts.
 */
function listenersOn(
  all: readonly ListenerReading[],
  gatewayOf: (one: ListenerReading) => string,
  unavailable: ReadonlyMap<string, Fault>,
): readonly Listener[] {
  const byHostname = new Map<string, Listener>();
  for (const one of all) {
    const { id, hostname, certificates } = one;
    const isHere = one.refused === undefined && !one.isBeaten && !unavailable.has(id);
    if (!isHere || byHostname.has(hostname)) continue;
    const same = made.get(one) ?? { id, name: labelOf(one), gateway: gatewayOf(one), hostname, certificates };
    made.set(one, same);
    byHostname.set(hostname, same);
  }
  return [...byHostname.values()];
}

function ownersOf(listeners: readonly ListenerReading[]): readonly Owner[] {
  return [...new Set(listeners.map(({ owner }) => owner))];
}

function faultOf({ owner, field }: ListenerReading, why: string): Fault {
  const done = "the listener is not served";
  const problem: Problem = { object: owner, kind: "field-unusable", field: `${field}.port`, why, done };
  return { reason: "PortUnavailable", problem };
}

/** As the owner of another listener may know it: ListenerSets of other namespaces are none of its business. */
function olderOne({ owner, listener }: ListenerReading, reader: ListenerReading): string {
  if (owner === reader.owner) return `listener ${listener.name}`;
  const isSecret = owner.kind === "ListenerSet" && owner.namespace !== reader.owner.namespace;
  return isSecret ? "an older ListenerSet of another namespace" : `the older ${named(owner)}`;
}
