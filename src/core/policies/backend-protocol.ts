/**
 * The protocol towards the backend. A Location without a backend of its own uses the default
 * backend, over HTTP. No variable of nginx can choose the protocol. So if an Ingress names one,
 * the text also has the shapes of the other usual protocols, and a change among them needs no
 * reload.
 */

import { oneOf } from "../kinds/words.ts";
import type { Scheme } from "../tokens/pools.ts";
import { feature, field } from "./declare.ts";

const schemes = ["HTTP", "HTTPS", "AUTO_HTTP", "GRPC", "GRPCS", "FCGI"] as const satisfies readonly Scheme[];

/** The protocols that most Ingresses name, if they name one. */
const named: readonly Scheme[] = ["HTTPS", "GRPC", "GRPCS"];

export const backendProtocol = feature({
  name: "backend-protocol",
  scope: "location",
  fields: {
    scheme: field<Scheme>("backend-protocol", {
      example: "GRPC",
      kind: oneOf<Scheme>(schemes, { anyCase: true }),
      fallback: () => "HTTP",
      doc: "The protocol of the backend: HTTP, HTTPS, AUTO_HTTP (that of the client), GRPC, GRPCS (over TLS) or FCGI.",
    }),
  },
  neighbours: ({ scheme }) =>
    named.includes(scheme)
      ? ["HTTP" as const, ...named].filter((one) => one !== scheme).map((one) => ({ scheme: one }))
      : [],
});
