/**
 * Redirects to https (RS-11), and the port in redirects. The template decides which requests count
 * as http.
 */

import { Token } from "../tokens/token.ts";
import { feature, toggle } from "./declare.ts";

export const sslRedirect = feature({
  name: "ssl-redirect",
  scope: "location",
  fields: {
    whenConfigured: toggle("ssl-redirect", {
      example: "false",
      fallback: (settings) => settings.sslRedirect,
      doc: "Redirects http to https if a certificate is configured for the requested host.",
    }),
    always: toggle("force-ssl-redirect", {
      fallback: (settings) => settings.forceSslRedirect,
      risk: "Medium",
      doc: "Redirects http to https even if the host has no TLS configuration.",
    }),
    keepTrailingSlash: toggle("preserve-trailing-slash", {
      fallback: (settings) => settings.preserveTrailingSlash,
      risk: "Medium",
      doc: "Keeps a final slash of the request URI in the redirect.",
    }),
    port: toggle("use-port-in-redirects", {
      fallback: (settings) => settings.usePortInRedirects,
      directive: { name: "port_in_redirect" },
      doc: "Names the port in redirects that nginx itself writes, and the https port in the redirect to https.",
    }),
  },
  variables: ["tls"],
  view: ({ whenConfigured, always, keepTrailingSlash, port }, place, settings) => {
    const { httpRedirectCode, sslRedirect: isUsual, forceSslRedirect } = settings;
    // Ingresses with the usual settings all share this line.
    const isOfIngress = place.live && place.owned && !place.ofGateway;
    const isData = isOfIngress && !forceSslRedirect && (isUsual || always);
    if (!whenConfigured && !always && !isData) return false;
    if (isData && always) place.bind("tls", "on");
    else if (isData && !whenConfigured) place.bind("tls", "off");
    return {
      // Whether a certificate is configured depends on the host, so only the router or the server's
      // own text knows it.
      when: always && !isData ? Token.conf`$pass_access_scheme ~* ^http$` : Token.variable("ssl_redirect"),
      code: Token.count(httpRedirectCode),
      port,
      uri: Token.variable(keepTrailingSlash ? "origin_form" : "redirect_uri"),
    };
  },
});
