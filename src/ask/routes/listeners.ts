/** Finds listeners by id, and the host for which a Server of a listener answers. */
import { catchAll, type Server } from "../../core/model/configuration.ts";
import type { Listener, ListenerPort } from "../../core/model/listeners.ts";
import type { Table } from "../../core/model/table.ts";

export interface FoundListener extends Pick<Listener, "hostname" | "certificates"> {
  readonly tls: boolean;
}

/** One map for each version of the table, because every route of a list asks for its listener. */
const maps = new WeakMap<Table<ListenerPort>, ReadonlyMap<string, FoundListener>>();

/** Returns undefined for the ports of Ingresses, whose servers have no listener. */
export function listenerOf(
  { listener }: Pick<Server<unknown>, "listener">,
  ports: Table<ListenerPort>,
): FoundListener | undefined {
  return listener === undefined ? undefined : listenersById(ports).get(listener);
}

/**
 * Returns the host in its written form, and `*` for all hosts. A route without hostnames has those
 * of its listener.
 */
export function hostnameOf(server: Pick<Server<unknown>, "listener" | "name">, ports: Table<ListenerPort>): string {
  if (server.name !== catchAll) return server.name;
  return listenerOf(server, ports)?.hostname || "*";
}

function listenersById(ports: Table<ListenerPort>): ReadonlyMap<string, FoundListener> {
  const known = maps.get(ports);
  if (known !== undefined) return known;
  const all = [...ports.values()].flatMap(({ tls, listeners }) =>
    listeners.map(({ id, hostname, certificates }) => [id, { tls, hostname, certificates }] as const),
  );
  const made = new Map(all);
  maps.set(ports, made);
  return made;
}
