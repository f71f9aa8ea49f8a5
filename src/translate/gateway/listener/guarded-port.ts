/** The guard of a port, which clients meet in the handshake, before a listener is known. */
import type { ClientValidation, ListenerPort } from "../../../model/listeners.ts";
import { allListeners, type GatewayReading } from "../reading.ts";

/** Keyed by the id of the listener, for listeners that ask for client certificates. */
export type Guards = ReadonlyMap<string, ClientValidation>;

export function guardsOf(readings: ReadonlyMap<string, GatewayReading>): Guards {
  const guards = new Map<string, ClientValidation>();
  for (const reading of readings.values()) {
    if (reading.gateway.spec?.tls?.frontend === undefined) continue;
    for (const { id, clients } of allListeners(reading)) if (clients !== undefined) guards.set(id, clients);
  }
  return guards;
}

/**
 * The port with what its listeners ask of clients. All listeners of a guarded port are guarded; one
 * that asks for something else than the first has no place on it.
 */
export function guardedPort(port: ListenerPort, guards: Guards): ListenerPort {
  const first = port.listeners.find(({ id }) => guards.has(id));
  const clients = first && guards.get(first.id);
  if (clients === undefined) return port;
  const listeners = port.listeners.filter(({ id }) => (guards.get(id) ?? clients).id === clients.id);
  return { ...port, listeners, clients };
}
