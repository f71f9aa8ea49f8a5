/**
 * Finds the certificate of a host. A host of a Gateway's listener has the certificates of the
 * listener, and never the default one.
 */
import { pairsFor } from "../../core/certificates/choice.ts";
import { type Configuration, catchAll, type Server } from "../../core/model/configuration.ts";
import { listenerOf } from "./listeners.ts";

export interface ShownCertificate {
  /** Undefined for the default certificate, and if there is none. */
  readonly certificate?: { readonly secret: string; readonly expires: string };
  /** Whether the listener has TLS and no usable certificate, so that handshakes fail. */
  readonly lacking?: true;
}

export function shownCertificate<F>(
  server: Server<F>,
  { certificates, listenerPorts }: Pick<Configuration<unknown, F>, "certificates" | "listenerPorts">,
): ShownCertificate {
  const { name, listener: id, certificate: own } = server;
  const listener = listenerOf(server, listenerPorts);
  const [pair] =
    listener === undefined ? [own] : pairsFor(name === catchAll ? "" : name, listener.certificates, certificates);
  const found = id !== undefined && listener?.tls !== true ? undefined : certificates.get(pair ?? "");
  if (found !== undefined) return { certificate: { secret: found.id, expires: found.notAfter.toISOString() } };
  return listener?.tls === true ? { lacking: true } : {};
}
