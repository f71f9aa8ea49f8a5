/**
 * Adds the validation of clients to a port, because it takes place in the handshake, before the
 * listener is known.
 */
import type { ClientValidation, ListenerPort } from "../../../model/listeners.ts";
import { allListeners, type GatewayReading } from "../reading.ts";

/** The validation of clients by the id of the listener, for listeners that have one. */
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
 * Returns the port with the validation of its listeners. All listeners of a guarded port have the
 * same validation. A listener with another one than the first is left out.
 */
export function guardedPort(port: ListenerPort, guards: Guards): ListenerPort {
  const first = port.listeners.find(({ id }) => guards.has(id));
  const clients = first && guards.get(first.id);
  if (clients === undefined) return port;
  const listeners = port.listeners.filter(({ id }) => (guards.get(id) ?? clients).id === clients.id);
  return { ...port, listeners, clients };
}
