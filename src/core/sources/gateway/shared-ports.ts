/**
 * Ports that a Gateway shares: with Ingresses, and under `serve` with all Gateways of this machine.
 * Listeners on 80 and 443 use the two ports of Ingresses, where host and path decide whether a
 * request belongs to a Gateway or to an Ingress.
 */
import type { ListenerPort } from "../../model/listeners.ts";
import { named } from "../../model/problem.ts";
import type { TranslateOptions } from "../../table/options.ts";
import type { Fault } from "./conditions.ts";
import { byCreation, compared } from "./creation.ts";
import { besideOf, faultOf, listenersOn, ownersOf, type Placed, type PortOptions } from "./ports.ts";
import {
  allListeners,
  type GatewayReading,
  holdsHosts,
  isUsable,
  type ListenerReading,
  ownerOfListener,
} from "./reading.ts";
import { streamPorts } from "./stream-ports.ts";

/**
 * Returns the ports of the one Gateway that shares those of Ingresses, to which their Service
 * leads. Clients use the ports of the listeners; under `serve`, without a Service, they use those
 * of nginx.
 */
export function ingressPorts(reading: GatewayReading, options: PortOptions): Placed {
  const { httpPort, httpsPort, sharesPorts } = options.gateway;
  const unavailable = new Map<string, Fault>();
  const listeners = allListeners(reading);
  for (const one of listeners.filter(holdsHosts)) {
    const why = whyNotThere(one);
    if (why !== undefined) unavailable.set(one.id, faultOf(one, why));
  }
  const isServed = (one: ListenerReading) => isUsable(one) && !unavailable.has(one.id);
  const requests = listeners.filter(({ stream }) => stream === undefined);
  const ports = [...Map.groupBy(requests, ({ listener }) => listener.port)].flatMap(([port, on]): ListenerPort[] => {
    const served = on.filter(isServed);
    if (served.length === 0) return [];
    const listenPort = sharedPortOf(port, options);
    return [
      {
        id: `${reading.key}:${port}`,
        address: undefined,
        listenPort,
        port: sharesPorts ? listenPort : port,
        ...(sharesPorts ? { usualPorts: { http: httpPort, https: httpsPort } } : {}),
        tls: served.some(({ tls }) => tls),
        owners: ownersOf(served),
        listeners: listenersOn(on, () => reading.key, unavailable),
      },
    ];
  });
  const placeOf = ({ listener: { port } }: ListenerReading) => sharedPortOf(port, options);
  const streams = streamPorts(reading.key, listeners, isServed, placeOf, besideOf(ports, httpsPort));
  return { ports, streams, unavailable };
}

function whyNotThere({ listener, clients }: ListenerReading): string | undefined {
  const { port, protocol } = listener;
  const theirs = { 80: "HTTP", 443: "HTTPS" }[port];
  if (theirs === undefined) return "the shared Gateway has the ports of Ingresses, which are 80 and 443";
  if (!goTogether(theirs, protocol)) return `Ingresses have port ${port} with protocol ${theirs}`;
  return clients === undefined ? undefined : `Ingresses have port ${port}, where no client certificates are asked for`;
}

/** Whether listeners of both protocols may share a port, because clients of TLS send a name. */
function goTogether(one: string, other: string): boolean {
  return one === other || (isTls(one) && isTls(other));
}

const isTls = (protocol: string): boolean => protocol === "HTTPS" || protocol === "TLS";

/**
 * Returns the ports of this machine, which all Gateways share under `serve`. Ingresses use two of
 * them. Listeners of all Gateways come before those of any ListenerSet.
 */
export function machinePorts(readings: readonly GatewayReading[], options: PortOptions): Placed {
  const { httpPort, httpsPort } = options.gateway;
  const unavailable = new Map<string, Fault>();
  const taken = new Map<string, { readonly protocol: string; readonly by: ListenerReading | "Ingresses" }>([
    [`tcp ${httpPort}`, { protocol: "HTTP", by: "Ingresses" }],
    [`tcp ${httpsPort}`, { protocol: "HTTPS", by: "Ingresses" }],
  ]);
  const hosts = new Map<string, ListenerReading>();
  /** The first HTTPS listener of each port. */
  const https = new Map<number, ListenerReading>();
  const oldest = readings.toSorted((one, other) => byCreation(one.gateway, other.gateway));
  const sets = oldest.flatMap((reading) => reading.sets).sort((one, other) => compared(one.rank, other.rank));
  const gatewayOf = new Map<string, string>([
    ...sets.map(({ key, gateway }) => [`ListenerSet ${key}`, gateway] as const),
    ...oldest.map(({ key }) => [`Gateway ${key}`, key] as const),
  ]);
  const all = [...oldest, ...sets].flatMap(({ listeners }) => listeners);
  const placeOf = ({ listener: { port } }: ListenerReading) => sharedPortOf(port, options);
  for (const one of all.filter(holdsHosts)) {
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
  const streams = streamPorts("*", all, isServed, placeOf, besideOf(ports, httpsPort));
  return { ports, streams, unavailable };

  function whyNot(one: ListenerReading): string | undefined {
    const { listener, stream, hostname } = one;
    const { protocol } = listener;
    const layer = stream === "udp" ? "udp" : "tcp";
    const place = placeOf(one);
    const placed = place === listener.port ? `port ${place}` : `port ${listener.port} (${place} here)`;
    const isIngress = layer === "tcp" && (place === httpPort || place === httpsPort);
    const reserved = isIngress ? undefined : options.reservedPorts.get(place);
    if (reserved !== undefined) {
      return `port ${place} is that of ${reserved}, and Gateways without addresses of their own (--gateway-addresses) need another one`;
    }
    const other = taken.get(`${layer} ${place}`);
    const isAlone = stream === "tcp" || stream === "udp";
    if (other !== undefined && (!goTogether(other.protocol, protocol) || isAlone)) {
      const whose = other.by === "Ingresses" ? "Ingresses have" : `${olderOne(other.by, one)} has`;
      return `${whose} ${placed} with protocol ${other.protocol}, and Gateways without addresses of their own share ports`;
    }
    const first = protocol !== "HTTPS" ? undefined : isIngress ? "Ingresses" : https.get(place);
    const guard = first === undefined || first === "Ingresses" ? undefined : first.clients;
    if (first !== undefined && guard?.id !== one.clients?.id) {
      const whose = first === "Ingresses" ? "Ingresses have" : `${olderOne(first, one)} has`;
      return `${whose} ${placed} and ${guard === undefined ? "no" : "other"} client certificates there, and Gateways without addresses of their own share ports`;
    }
    const key = `${layer} ${place} ${hostname}`;
    const older = hosts.get(key);
    if (older !== undefined) {
      const what = hostname === "" ? "all hosts" : hostname;
      return `${olderOne(older, one)} has ${what} on ${placed}, and Gateways without addresses of their own share ports`;
    }
    hosts.set(key, one);
    if (other === undefined) taken.set(`${layer} ${place}`, { protocol, by: one });
    if (protocol === "HTTPS" && !https.has(place)) https.set(place, one);
    return undefined;
  }
}

/**
 * Returns the port on which nginx listens for a listener of a Gateway that shares the ports of this
 * machine.
 */
export function sharedPortOf(
  port: number,
  { gateway: { httpPort, httpsPort } }: Pick<TranslateOptions, "gateway">,
): number {
  return port === 80 ? httpPort : port === 443 ? httpsPort : port;
}

/**
 * Returns the earlier listener in words for the owner of another one, which must not contain names
 * of other namespaces.
 */
function olderOne({ owner, listener }: ListenerReading, reader: ListenerReading): string {
  if (owner === reader.owner) return `listener ${listener.name}`;
  const isSecret = owner.kind === "ListenerSet" && owner.namespace !== reader.owner.namespace;
  return isSecret ? "an older ListenerSet of another namespace" : `the older ${named(owner)}`;
}
