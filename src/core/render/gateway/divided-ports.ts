/**
 * Ports whose listeners do not all share one server block. nginx chooses the block by the name in
 * the handshake, and for a request by its host, just as the router chooses the listener. So the
 * block for all other listeners has the names that a less specific name would take from it.
 */

import type { Listener, ListenerPort } from "../../model/listeners.ts";
import type { Owner } from "../../model/owner.ts";
import type { FeatureValues } from "../../policies/registry.ts";
import { portSlot, type Slot } from "../conf/text-servers.ts";

export interface ListenerServer {
  readonly slot: Slot;
  /** Ids of its listeners, which have the same features. */
  readonly listeners: readonly string[];
  /** Their hostnames; an empty one stands for all names that no other server has. */
  readonly hostnames: readonly string[];
  readonly features: FeatureValues;
}

export interface DividedPort {
  readonly servers: readonly ListenerServer[];
  /** Hostnames of other listeners that one of these servers would take. */
  readonly others: readonly string[];
  /** Whether one of the servers takes all names that no other server has. */
  readonly takesRest: boolean;
}

/** Returns undefined if no listener has a server block of its own. */
export function dividedPort({ id: port, listeners }: Pick<ListenerPort, "id" | "listeners">): DividedPort | undefined {
  const own = listeners.filter((one) => one.own !== undefined);
  if (own.length === 0) return undefined;
  const servers = [...Map.groupBy(own, (one) => one.own!.id)].map(([id, some]): ListenerServer => {
    return {
      slot: `${portSlot(port)}:${id}`,
      listeners: some.map((one) => one.id),
      hostnames: some.map(({ hostname }) => hostname),
      features: some[0]!.own!.features as FeatureValues,
    };
  });
  const rest = listeners.filter(({ own, hostname }) => own === undefined && hostname !== "");
  const others = rest.map(({ hostname }) => hostname).filter((name) => own.some((one) => takes(one, name)));
  return {
    servers: servers.sort((a, b) => (a.slot < b.slot ? -1 : 1)),
    others: others.sort(),
    takesRest: own.some(({ hostname }) => hostname === ""),
  };
}

/** Whether the listener's hostname, as a name of nginx, would take the name of another listener. */
function takes({ hostname }: Listener, name: string): boolean {
  return hostname === "" || (hostname.startsWith("*.") && name.endsWith(hostname.slice(1)));
}

/** Returns the objects whose texts are in a server of a divided port, by its slot. */
export function authorsOf(slot: Slot, ports: Iterable<ListenerPort>): readonly Owner[] {
  for (const port of ports) {
    const server = dividedPort(port)?.servers.find((one) => one.slot === slot);
    if (server === undefined) continue;
    return port.listeners.filter(({ id }) => server.listeners.includes(id)).flatMap(({ own }) => own?.authors ?? []);
  }
  return [];
}
