/** Whether a Location answers http requests with a redirect to https (RS-11). Which requests count as http is the template's. */
import { bool } from "../kinds/words.ts";
import { feature, field } from "./declare.ts";

export const sslRedirect = feature({
  name: "ssl-redirect",
  scope: "location",
  fields: {
    whenConfigured: field({
      key: "ssl-redirect",
      kind: bool,
      fallback: (settings) => settings.sslRedirect,
      risk: "Low",
      doc: "Redirects http to https where a certificate is configured for the requested host.",
    }),
    always: field({
      key: "force-ssl-redirect",
      kind: bool,
      fallback: (settings) => settings.forceSslRedirect,
      risk: "Medium",
      doc: "Redirects http to https even where the host has no TLS configuration.",
    }),
    keepTrailingSlash: field({
      key: "preserve-trailing-slash",
      kind: bool,
      fallback: (settings) => settings.preserveTrailingSlash,
      risk: "Medium",
      doc: "Keeps a final slash of the request URI in the redirect.",
    }),
  },
});
