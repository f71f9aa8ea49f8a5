/**
 * The protocol towards the backend. A Location without a backend of its own uses the default
 * backend, over HTTP. Where an Ingress names a protocol, the text has the shapes of the usual
 * others, too, because no variable of nginx chooses one.
 */

import type { Scheme } from "../directives/pools.ts";
import { oneOf } from "../kinds/words.ts";
import { feature, field } from "./declare.ts";

const schemes = ["HTTP", "HTTPS", "AUTO_HTTP", "GRPC", "GRPCS", "FCGI"] as const satisfies readonly Scheme[];

/** Those that most Ingresses mean which name one. */
const named: readonly Scheme[] = ["HTTPS", "GRPC", "GRPCS"];

export const backendProtocol = feature({
  name: "backend-protocol",
  scope: "location",
  fields: {
    scheme: field<Scheme>({
      key: "backend-protocol",
      example: "GRPC",
      kind: oneOf<Scheme>(schemes, { anyCase: true }),
      fallback: () => "HTTP",
      risk: "Low",
      doc: "The protocol of the backend: HTTP, HTTPS, AUTO_HTTP (that of the client), GRPC, GRPCS (over TLS) or FCGI.",
    }),
  },
  neighbours: ({ scheme }) =>
    named.includes(scheme)
      ? ["HTTP" as const, ...named].filter((one) => one !== scheme).map((one) => ({ scheme: one }))
      : [],
});
