/**
 * Decides whether TLS connections for the host go to its backend untouched (RS-26). It needs the
 * flag `--enable-ssl-passthrough`.
 */
import { bool } from "../kinds/words.ts";
import { feature, field } from "./declare.ts";

export const sslPassthrough = feature({
  name: "ssl-passthrough",
  scope: "host",
  notOnRoutes: "TLSRoutes on listeners of protocol TLS pass TLS on",
  fields: {
    on: field({
      key: "ssl-passthrough",
      example: "true",
      kind: bool,
      fallback: () => false,
      onBad: "reject",
      risk: "Low",
      doc: "Passes TLS connections whose SNI is the host to the Service behind / without ending TLS; annotations on HTTP do nothing for them.",
    }),
  },
  provides: ({ on }) => on,
});
