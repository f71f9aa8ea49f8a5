/**
 * ListenerPorts as data: the listener of a host and its certificates, by the address and port of a
 * connection.
 */
import { pairsByName } from "../../certificates/choice.ts";
import type { Certificate } from "../../model/configuration.ts";
import { canonical } from "../../model/ip-address.ts";
import type { Listener, ListenerPort } from "../../model/listeners.ts";
import { type Fields, type RecordKey, scopeKey } from "../../model/records.ts";
import type { Table } from "../../model/table.ts";
import type { Fronts } from "../streams/fronts.ts";

export interface MarkedListeners {
  /** Ids of listeners that have hosts with routes in shadow. */
  readonly shadowed: ReadonlySet<string>;
  /** Ids of listeners that leave the certificate of their hostname to their namesake. */
  readonly yielding: ReadonlySet<string>;
}

/**
 * Returns one record for each ListenerPort. If some ListenerPorts of a port have addresses, the
 * record of the port alone says so; it also serves all other addresses, if a ListenerPort has them.
 * A ListenerPort behind the stream module is also found by its socket, which is an address without
 * a port. `marked` has ids of listeners.
 */
export function scopeRecords(
  ports: readonly ListenerPort[],
  certificates: Table<Certificate>,
  marked: MarkedListeners,
  fronts: Pick<Fronts, "socketOf">,
): ReadonlyMap<RecordKey, string> {
  const records = new Map<RecordKey, string>();
  for (const port of ports) {
    const socket = fronts.socketOf(port);
    if (socket === undefined) continue;
    records.set(scopeKey("", ""), JSON.stringify({ addresses: 1 }));
    records.set(scopeKey(`unix:${socket}`, ""), JSON.stringify(scopeRecord(port, certificates, marked)));
  }
  for (const [listenPort, some] of Map.groupBy(ports, (port) => port.listenPort)) {
    const addressed = some.filter(({ address }) => address !== undefined);
    const general = some.find(({ address }) => address === undefined);
    const record: Fields<"scope"> = {
      ...(general === undefined ? {} : scopeRecord(general, certificates, marked)),
      ...(addressed.length > 0 ? { addresses: 1 } : {}),
    };
    records.set(scopeKey("", listenPort), JSON.stringify(record));
    for (const port of addressed) {
      records.set(
        scopeKey(canonical(port.address!), listenPort),
        JSON.stringify(scopeRecord(port, certificates, marked)),
      );
    }
  }
  return records;
}

function scopeRecord(
  { port, usualPorts, tls, listeners }: ListenerPort,
  certificates: Table<Certificate>,
  marked: MarkedListeners,
): Fields<"scope"> {
  const exact: Record<string, Fields<"listener">> = {};
  const wildcard: Record<string, Fields<"listener">> = {};
  let any: Fields<"listener"> | undefined;
  for (const listener of listeners) {
    const { hostname } = listener;
    const record = listenerRecord(listener, certificates, marked);
    if (hostname === "") any = record;
    else if (hostname.startsWith("*.")) wildcard[hostname.slice(1)] = record;
    else exact[hostname] = record;
  }
  return {
    port,
    ...(usualPorts === undefined ? {} : { usual: usualPorts }),
    ...(tls ? { tls: 1 } : {}),
    ...(isEmpty(exact) ? {} : { exact }),
    ...(isEmpty(wildcard) ? {} : { wildcard }),
    ...(any === undefined ? {} : { any }),
  };
}

function listenerRecord(
  { id, name, gateway, certificates: ids }: Listener,
  all: Table<Certificate>,
  marked: MarkedListeners,
): Fields<"listener"> {
  const { pairs, named } = pairsByName(ids, all);
  return {
    id,
    name,
    gateway,
    ...(pairs.length > 0 ? { pairs } : {}),
    ...(isEmpty(named) ? {} : { named }),
    ...(marked.shadowed.has(id) ? { shadow: 1 } : {}),
    ...(marked.yielding.has(id) ? { yields: 1 } : {}),
  };
}

function isEmpty(record: object): boolean {
  return Object.keys(record).length === 0;
}
