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

type PortOptions = Pick<TranslateOptions, "gateway" | "reservedPorts">;

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
        listeners: listenersOn(port, [reading], unavailable),
      };
    });
  });
  return { ports, unavailable };
}

/** The ports that all Gateways share. Those of Ingresses are not among them: nginx finds a host of an Ingress there. */
export function sharedPorts(readings: readonly GatewayReading[], options: PortOptions): Placed {
  const unavailable = new Map<string, Fault>();
  const taken = new Map<number, { readonly tls: boolean; readonly by: Gateway }>();
  const hosts = new Map<string, Gateway>();
  const oldest = readings.toSorted((one, other) => byCreation(one.gateway, other.gateway));
  for (const reading of oldest) {
    for (const one of reading.listeners.filter(isUsable)) {
      const why = whyNot(one, reading.gateway);
      if (why !== undefined) unavailable.set(one.id, faultOf(reading, one, why));
    }
  }
  const ports = [...taken].map(([port, { tls }]): ListenerPort => {
    const on = oldest.filter(({ listeners }) =>
      listeners.some((one) => one.listener.port === port && isUsable(one) && !unavailable.has(one.id)),
    );
    return {
      id: `*:${port}`,
      address: undefined,
      listenPort: port,
      port,
      tls,
      owners: on.map(({ gateway }) => ownerOf(gateway)),
      listeners: listenersOn(port, on, unavailable),
    };
  });
  return { ports, unavailable };

  function whyNot({ listener: { port }, tls, hostname }: ListenerReading, gateway: Gateway): string | undefined {
    const reserved = options.reservedPorts.get(port);
    if (reserved !== undefined) {
      const isIngress = port === options.gateway.httpPort || port === options.gateway.httpsPort;
      const whose = isIngress ? `Ingresses for ${reserved}` : reserved;
      return `port ${port} is that of ${whose}, and Gateways without addresses of their own (--gateway-addresses) need another one`;
    }
    const other = taken.get(port);
    if (other !== undefined && other.tls !== tls) {
      return `the older ${nameOf(other.by)} has port ${port} with protocol ${other.tls ? "HTTPS" : "HTTP"}, and Gateways without addresses of their own share ports`;
    }
    const key = `${port} ${hostname}`;
    const older = hosts.get(key);
    if (older !== undefined) {
      const what = hostname === "" ? "a listener without a hostname" : `a listener for ${hostname}`;
      return `the older ${nameOf(older)} has ${what} on port ${port}, and Gateways without addresses of their own share ports`;
    }
    hosts.set(key, gateway);
    if (other === undefined) taken.set(port, { tls, by: gateway });
    return undefined;
  }
}

/**
 * At most one for each hostname. One that conflicts stands there without routes, so that its hosts do not go to a listener
 * which takes more hosts.
 */
function listenersOn(
  port: number,
  readings: readonly GatewayReading[],
  unavailable: ReadonlyMap<string, Fault>,
): readonly Listener[] {
  const byHostname = new Map<string, Listener>();
  for (const { gateway, listeners } of readings) {
    for (const one of listeners) {
      const { id, listener, hostname, certificates } = one;
      const isHere = listener.port === port && one.refused === undefined && !unavailable.has(id);
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
