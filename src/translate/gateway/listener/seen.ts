/**
 * The parts of a Gateway or a ListenerSet that routes look at, as a text: while it is the same,
 * none of them is read again.
 */
import { hash } from "node:crypto";
import type { Identity } from "../../../model/backend-tls.ts";
import type { ListenerReading, ParentReading } from "../reading.ts";

/**
 * `identity`: what the Gateway shows to backends. Certificates of listeners and addresses are
 * nothing to routes.
 */
export function seenByRoutes(
  { listeners, notAllowed }: ParentReading,
  isServed: (one: ListenerReading) => boolean,
  identity: Identity | undefined,
): string {
  const pair = identity && hash("sha256", identity.chain + identity.key.reveal());
  const seen = listeners.map((one) => {
    const { id, listener, hostname, kinds } = one;
    return [id, listener.port, listener.allowedRoutes?.namespaces, hostname, kinds, isServed(one)];
  });
  return JSON.stringify([seen, notAllowed, pair]);
}
