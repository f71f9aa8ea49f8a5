/**
 * Decides whether TLS connections for the host go to its backend untouched (RS-26). It needs the
 * flag `--enable-ssl-passthrough`.
 */
import { feature, toggle } from "./declare.ts";

export const sslPassthrough = feature({
  name: "ssl-passthrough",
  scope: "host",
  notOnRoutes: "TLSRoutes on listeners of protocol TLS pass TLS on",
  fields: {
    on: toggle("ssl-passthrough", {
      onBad: "reject",
      doc: "Passes TLS connections whose SNI is the host to the Service behind / without ending TLS; annotations on HTTP do nothing for them.",
    }),
  },
  provides: ({ on }) => on,
});
