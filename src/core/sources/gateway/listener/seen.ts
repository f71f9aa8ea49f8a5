/**
 * Makes a text of the parts of a Gateway or a ListenerSet that routes read. While it stays the
 * same, no route is read again.
 */
import { hash } from "node:crypto";
import type { Identity } from "../../../model/backend-tls.ts";
import type { ListenerReading, ParentReading } from "../reading.ts";

/**
 * Returns the text. `identity` is the certificate that the Gateway shows to backends. Routes do not
 * depend on certificates of listeners, nor on addresses.
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
