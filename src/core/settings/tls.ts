/** Keys about TLS towards clients. */

import { optional } from "../kinds/combine.ts";
import { type Kind, no, ok } from "../kinds/kind.ts";
import { sizeBetween, timeSpan } from "../kinds/measures.ts";
import { reference } from "../kinds/names.ts";
import { cipherList, curves, tlsProtocols } from "../kinds/tls.ts";
import { Token } from "../tokens/token.ts";
import { keyed, setting, toggle } from "./declare.ts";

/** The value is kept as base64. The bytes go into a file that the configuration names. */
const ticketKey: Kind<string> = {
  label: "48 or 80 bytes in base64",
  read: (text) => {
    const bare = text.replace(/\s/g, "");
    const bytes = /^[A-Za-z0-9+/]+={0,2}$/.test(bare) ? Buffer.from(bare, "base64").length : 0;
    return bytes === 48 || bytes === 80 ? ok(bare) : no("the value is not 48 or 80 bytes in base64");
  },
  write: () => "[redacted]",
  view: () => false,
};

export const tls = keyed({
  sslProtocols: setting({
    kind: tlsProtocols,
    default: ["TLSv1.2", "TLSv1.3"],
    directive: { name: "ssl_protocols", context: "http", view: (words) => Token.words(words.map(Token.name)) },
    doc: "Versions of TLS that clients may use.",
  }),
  sslCiphers: setting({
    kind: optional(cipherList),
    default:
      "ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES256-GCM-SHA384:ECDHE-RSA-AES256-GCM-SHA384:ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305:DHE-RSA-AES256-GCM-SHA384:DHE-RSA-AES128-GCM-SHA256",
    directive: { name: "ssl_ciphers", context: "http" },
    becomes: "ssl_ciphers and ssl_prefer_server_ciphers",
    doc: "Ciphers of TLS up to 1.2, in the server's order; empty is OpenSSL's own list in the client's order.",
  }),
  sslEcdhCurve: setting({
    kind: curves,
    default: "auto",
    directive: { name: "ssl_ecdh_curve", context: "http" },
    doc: "Curves of the key exchange.",
  }),
  sslDhParam: setting({
    kind: optional(reference),
    becomes: "ssl_dhparam",
    doc: "Secret whose dhparam.pem holds the parameters that DHE ciphers need.",
  }),
  sslSessionCache: toggle({ default: true, becomes: "ssl_session_cache", doc: "Lets clients resume a TLS session." }),
  sslSessionCacheSize: setting({
    kind: sizeBetween("64k", "4g"),
    default: "10m",
    onlyWith: ["ssl-session-cache"],
    becomes: "ssl_session_cache",
    doc: "Memory for TLS sessions, shared by the workers; 1m holds about 4000.",
  }),
  sslSessionTimeout: setting({
    kind: timeSpan({ whole: true }),
    default: "10m",
    onlyWith: ["ssl-session-cache"],
    directive: { name: "ssl_session_timeout", context: "http" },
    doc: "How long a TLS session can be resumed.",
  }),
  sslSessionTickets: toggle({
    directive: { name: "ssl_session_tickets", context: "http" },
    doc: "Resumes TLS sessions by tickets that the client keeps.",
  }),
  sslSessionTicketKey: setting({
    kind: optional(ticketKey),
    becomes: "ssl_session_ticket_key",
    onlyWith: ["ssl-session-tickets"],
    doc: "Key of the session tickets, so that several replicas can resume each other's sessions.",
  }),
  sslBufferSize: setting({
    kind: sizeBetween("1k", "16k"),
    default: "4k",
    directive: { name: "ssl_buffer_size", context: "http" },
    doc: "Buffer for data sent over TLS; with a small one the first byte arrives sooner.",
  }),
  sslEarlyData: toggle({
    directive: { name: "ssl_early_data", context: "http" },
    doc: "Accepts TLS 1.3 early data, which an attacker can replay; backends see it in the header Early-Data, and may answer 425.",
  }),
  sslRejectHandshake: toggle({
    needs: "rejectHandshake",
    becomes: "ssl_reject_handshake in the catch-all server",
    doc: "Ends the handshake for a name that no host has.",
  }),
  enableOcsp: toggle({
    becomes: "the controller asks the responders that certificates name, and nginx staples their answers",
    doc: "Staples OCSP answers to the certificates. tls.crt must hold the issuer's certificate too.",
  }),
});
