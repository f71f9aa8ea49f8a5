/**
 * TLS ciphers (up to 1.2) for a whole host, and whether the server's preference counts. The oldest
 * Ingress that sets one of them wins.
 */

import { optional } from "../kinds/combine.ts";
import { trimmed } from "../kinds/text.ts";
import { colonCipherList } from "../kinds/tls.ts";
import { bool } from "../kinds/words.ts";
import { Token } from "../tokens/token.ts";
import { feature, field } from "./declare.ts";

export const sslCiphers = feature({
  name: "ssl-ciphers",
  scope: "host",
  notOnRoutes: "the handshake is over before nginx knows the path",
  onListeners: true,
  fields: {
    ciphers: field("ssl-ciphers", {
      example: "ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256",
      kind: optional(trimmed(colonCipherList)),
      onBad: "reject",
      doc: "Ciphers of TLS up to 1.2 for the hosts of the Ingress, as OpenSSL writes them.",
    }),
  },
  provides: ({ ciphers }) => ciphers !== undefined,
  textServer: ({ ciphers }) => ciphers !== undefined,
  serverView: ({ ciphers }) => ciphers !== undefined && Token.word(ciphers),
});

/**
 * Returns the view for the www twin of a host; undefined if it needs none. A weak certificate may
 * need special ciphers, which the twin needs as well.
 */
export function viewOfTwin({
  sslCiphers: { ciphers },
}: {
  readonly sslCiphers: { readonly ciphers: string | undefined };
}) {
  return ciphers === undefined ? undefined : { sslCiphers: Token.word(ciphers) };
}

export const sslPreferServerCiphers = feature({
  name: "ssl-prefer-server-ciphers",
  scope: "host",
  notOnRoutes: "the handshake is over before nginx knows the path",
  onListeners: true,
  fields: {
    ours: field("ssl-prefer-server-ciphers", {
      example: "true",
      kind: optional(bool),
      doc: "Whether the order of the server's ciphers counts, or the client's.",
    }),
  },
  provides: ({ ours }) => ours !== undefined,
  textServer: ({ ours }) => ours !== undefined,
  serverView: ({ ours }) => ours !== undefined && Token.name(ours ? "on" : "off"),
});
