/**
 * Finds the certificate of a host. A host of a Gateway's listener has the certificates of the
 * listener, and never the default one.
 */
import { pairsFor } from "../certificates/choice.ts";
import { type Configuration, catchAll, type Server } from "../model/configuration.ts";
import type { Listener, ListenerPort } from "../model/listeners.ts";
import type { Table } from "../model/table.ts";

export interface ShownCertificate {
  /** Undefined for the default certificate, and if there is none. */
  readonly certificate?: { readonly secret: string; readonly expires: string };
  /** Whether the listener has TLS and no usable certificate, so that handshakes fail. */
  readonly lacking?: true;
}

export function shownCertificate<F>(
  { name, listener: id, certificate: own }: Server<F>,
  { certificates, listenerPorts }: Pick<Configuration<unknown, F>, "certificates" | "listenerPorts">,
): ShownCertificate {
  const listener = id === undefined ? undefined : listenersById(listenerPorts).get(id);
  const [pair] = listener === undefined ? [own] : pairsFor(name === catchAll ? "" : name, listener.ids, certificates);
  const found = id !== undefined && listener?.tls !== true ? undefined : certificates.get(pair ?? "");
  if (found !== undefined) return { certificate: { secret: found.id, expires: found.notAfter.toISOString() } };
  return listener?.tls === true ? { lacking: true } : {};
}

type ById = ReadonlyMap<string, { readonly tls: boolean; readonly ids: Listener["certificates"] }>;

/** One map for each version of the table, because every route of a list asks for its listener. */
const maps = new WeakMap<Table<ListenerPort>, ById>();

function listenersById(ports: Table<ListenerPort>): ById {
  const known = maps.get(ports);
  if (known !== undefined) return known;
  const all = [...ports.values()].flatMap(({ tls, listeners }) =>
    listeners.map(({ id, certificates: ids }) => [id, { tls, ids }] as const),
  );
  const made = new Map(all);
  maps.set(ports, made);
  return made;
}
