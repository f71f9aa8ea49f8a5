/**
 * The ports on which nginx listens for Gateways. With an address of its own each Gateway has its ports to itself; without,
 * Gateways share the ports of this machine, and the older one has what two of them ask for.
 */
import { portKey } from "../../model/gateway/services.ts";
import type { Listener, ListenerPort } from "../../model/listeners.ts";
import type { Owner } from "../../model/owner.ts";
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

export interface Placed {
  readonly ports: readonly ListenerPort[];
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
    const by = port === httpPort || port === httpsPort ? undefined : options.reservedPorts.get(port);
    if (by !== undefined) unavailable.set(one.id, faultOf(one, `port ${port} is that of ${by}`));
  }
  const byPort = Map.groupBy(listeners, ({ listener }) => listener.port);
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
  return { ports, unavailable };
}

/** The ports of one Gateway with a Service of its own; a port without a target port yet is not among them. */
export function servicePorts(reading: GatewayReading, targets: Readonly<Record<string, number>>): Placed {
  const unavailable = new Map<string, Fault>();
  const byPort = Map.groupBy(allListeners(reading), ({ listener }) => listener.port);
  const ports = [...byPort].flatMap(([port, all]): ListenerPort[] => {
    const usable = all.filter(isUsable);
    const listenPort = targets[portKey({ port, protocol: "TCP" })];
    if (usable.length === 0 || listenPort === undefined) return [];
    const tls = usable.some((one) => one.tls);
    const listeners = listenersOn(all, () => reading.key, unavailable);
    const owners = ownersOf(usable);
    return [{ id: `${reading.key}:${port}`, address: undefined, listenPort, port, tls, owners, listeners }];
  });
  return { ports, unavailable };
}

/**
 * The ports that all Gateways share. Ingresses have two of them, which listeners on 80 and 443 use: there the host decides whose
 * a request is. Listeners of all Gateways come before those of any ListenerSet.
 */
export function sharedPorts(readings: readonly GatewayReading[], options: PortOptions): Placed {
  const { httpPort, httpsPort } = options.gateway;
  const unavailable = new Map<string, Fault>();
  const taken = new Map<number, { readonly tls: boolean; readonly by: ListenerReading | "Ingresses" }>([
    [httpPort, { tls: false, by: "Ingresses" }],
    [httpsPort, { tls: true, by: "Ingresses" }],
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
  const byPlace = Map.groupBy(all, placeOf);
  const ports = [...taken].flatMap(([port, { tls }]): ListenerPort[] => {
    const on = byPlace.get(port) ?? [];
    const owners = ownersOf(on.filter((one) => isUsable(one) && !unavailable.has(one.id)));
    if (owners.length === 0) return [];
    return [
      {
        id: `*:${port}`,
        address: undefined,
        listenPort: port,
        port,
        ...(httpPort === 80 && httpsPort === 443 ? {} : { usualPorts: { http: httpPort, https: httpsPort } }),
        tls,
        owners,
        listeners: listenersOn(on, ({ id }) => gatewayOf.get(ownerOfListener(id))!, unavailable),
      },
    ];
  });
  return { ports, unavailable };

  function whyNot(one: ListenerReading): string | undefined {
    const { listener, tls, hostname } = one;
    const place = placeOf(one);
    const said = place === listener.port ? `port ${place}` : `port ${listener.port} (${place} here)`;
    const isIngress = place === httpPort || place === httpsPort;
    const reserved = isIngress ? undefined : options.reservedPorts.get(place);
    if (reserved !== undefined) {
      return `port ${place} is that of ${reserved}, and Gateways without addresses of their own (--gateway-addresses) need another one`;
    }
    if (place === httpsPort && options.enableSslPassthrough) {
      return `${said} is that of --enable-ssl-passthrough, and Gateways without addresses of their own (--gateway-addresses) need another one`;
    }
    const other = taken.get(place);
    if (other !== undefined && other.tls !== tls) {
      const whose = other.by === "Ingresses" ? "Ingresses have" : `${olderOne(other.by, one)} has`;
      return `${whose} ${said} with protocol ${other.tls ? "HTTPS" : "HTTP"}, and Gateways without addresses of their own share ports`;
    }
    const key = `${place} ${hostname}`;
    const older = hosts.get(key);
    if (older !== undefined) {
      const what = hostname === "" ? "all hosts" : hostname;
      return `${olderOne(older, one)} has ${what} on ${said}, and Gateways without addresses of their own share ports`;
    }
    hosts.set(key, one);
    if (other === undefined) taken.set(place, { tls, by: one });
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
