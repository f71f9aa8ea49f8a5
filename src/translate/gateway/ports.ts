/**
 * The ports on which nginx listens for Gateways. With an address of its own each Gateway has its ports to itself; without,
 * Gateways share the ports of this machine, and the older one has what two of them ask for.
 */
import type { Gateway } from "../../model/gateway/objects.ts";
import type { Listener, ListenerPort } from "../../model/listeners.ts";
import type { Owner } from "../../model/owner.ts";
import { named, type Problem } from "../../problem.ts";
import type { TranslateOptions } from "../options.ts";
import type { Assignment } from "./addresses.ts";
import type { Fault } from "./conditions.ts";
import { byCreation } from "./creation.ts";
import { type GatewayReading, isUsable, type ListenerReading } from "./reading.ts";

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
  for (const one of reading.listeners.filter(isUsable)) {
    const { port } = one.listener;
    const by = port === httpPort || port === httpsPort ? undefined : options.reservedPorts.get(port);
    if (by !== undefined) unavailable.set(one.id, faultOf(reading, one, `port ${port} is that of ${by}`));
  }
  const usable = reading.listeners.filter((one) => isUsable(one) && !unavailable.has(one.id));
  const ports = [...new Set(usable.map(({ listener }) => listener.port))].flatMap((port) => {
    const id = `${reading.key}:${port}`;
    return addresses.map((address, at): ListenerPort => {
      return {
        id: at === 0 ? id : `${id}@${address}`,
        address,
        listenPort: port,
        port,
        tls: usable.some(({ listener, tls }) => listener.port === port && tls),
        owners: [ownerOf(reading.gateway)],
        listeners: listenersOn(({ listener }) => listener.port === port, [reading], unavailable),
      };
    });
  });
  return { ports, unavailable };
}

/**
 * The ports that all Gateways share. Ingresses have two of them, which listeners on 80 and 443 use: there the host decides whose
 * a request is.
 */
export function sharedPorts(readings: readonly GatewayReading[], options: PortOptions): Placed {
  const { httpPort, httpsPort } = options.gateway;
  const unavailable = new Map<string, Fault>();
  const taken = new Map<number, { readonly tls: boolean; readonly by: string }>([
    [httpPort, { tls: false, by: "Ingresses have" }],
    [httpsPort, { tls: true, by: "Ingresses have" }],
  ]);
  const hosts = new Map<string, ListenerReading>();
  const gateways = new Map<string, Gateway>();
  const oldest = readings.toSorted((one, other) => byCreation(one.gateway, other.gateway));
  const placeOf = ({ listener: { port } }: ListenerReading) => sharedPortOf(port, options);
  for (const reading of oldest) {
    for (const one of reading.listeners.filter(isUsable)) {
      const why = whyNot(one, reading.gateway);
      if (why !== undefined) unavailable.set(one.id, faultOf(reading, one, why));
    }
  }
  const isOn = (port: number) => (one: ListenerReading) =>
    placeOf(one) === port && isUsable(one) && !unavailable.has(one.id);
  const ports = [...taken].flatMap(([port, { tls }]): ListenerPort[] => {
    const on = oldest.filter(({ listeners }) => listeners.some(isOn(port)));
    if (on.length === 0) return [];
    return [
      {
        id: `*:${port}`,
        address: undefined,
        listenPort: port,
        port,
        ...(httpPort === 80 && httpsPort === 443 ? {} : { usualPorts: { http: httpPort, https: httpsPort } }),
        tls,
        owners: on.map(({ gateway }) => ownerOf(gateway)),
        listeners: listenersOn((one) => placeOf(one) === port, on, unavailable),
      },
    ];
  });
  return { ports, unavailable };

  function whyNot(one: ListenerReading, gateway: Gateway): string | undefined {
    const { listener, tls, hostname, id } = one;
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
      return `${other.by} ${said} with protocol ${other.tls ? "HTTPS" : "HTTP"}, and Gateways without addresses of their own share ports`;
    }
    const key = `${place} ${hostname}`;
    const older = hosts.get(key);
    if (older !== undefined) {
      const owner = gateways.get(older.id)!;
      const whose = owner === gateway ? `listener ${older.listener.name}` : `the older ${nameOf(owner)}`;
      const what = hostname === "" ? "all hosts" : hostname;
      return `${whose} has ${what} on ${said}, and Gateways without addresses of their own share ports`;
    }
    hosts.set(key, one);
    gateways.set(id, gateway);
    if (other === undefined) taken.set(place, { tls, by: `the older ${nameOf(gateway)} has` });
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

/**
 * At most one for each hostname. One that conflicts stands there without routes, so that its hosts do not go to a listener
 * which takes more hosts.
 */
function listenersOn(
  isOnPort: (one: ListenerReading) => boolean,
  readings: readonly GatewayReading[],
  unavailable: ReadonlyMap<string, Fault>,
): readonly Listener[] {
  const byHostname = new Map<string, Listener>();
  for (const { gateway, listeners } of readings) {
    for (const one of listeners) {
      const { id, listener, hostname, certificates } = one;
      const isHere = isOnPort(one) && one.refused === undefined && !unavailable.has(id);
      if (!isHere || byHostname.has(hostname)) continue;
      byHostname.set(hostname, { id, name: listener.name, owner: ownerOf(gateway), hostname, certificates });
    }
  }
  return [...byHostname.values()];
}

function faultOf({ gateway }: GatewayReading, { field }: ListenerReading, why: string): Fault {
  const done = "the listener is not served";
  const problem: Problem = { object: ownerOf(gateway), kind: "field-unusable", field: `${field}.port`, why, done };
  return { reason: "PortUnavailable", problem };
}

function ownerOf({ metadata: { namespace = "default", name } }: Gateway): Owner {
  return { kind: "Gateway", namespace, name };
}

function nameOf(gateway: Gateway): string {
  return named(ownerOf(gateway));
}
