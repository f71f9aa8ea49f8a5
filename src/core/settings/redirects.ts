/** Keys about redirects that nginx itself answers, above all to https, and about HSTS. */
import { codeOf } from "../kinds/codes.ts";
import { text } from "../kinds/text.ts";
import { keyed, setting, toggle } from "./declare.ts";
import { count } from "./kinds.ts";

export const redirects = keyed({
  sslRedirect: toggle({
    default: true,
    forRoutes: { instead: false },
    doc: "Redirects http to https if a certificate is configured for the host.",
  }),
  forceSslRedirect: toggle({
    forRoutes: { instead: false },
    doc: "Redirects http to https for every host, even if TLS ends in front of Sluice.",
  }),
  preserveTrailingSlash: toggle({ doc: "Keeps a final slash of the request URI in the https redirect." }),
  httpRedirectCode: setting({
    kind: codeOf([301, 302, 307, 308]),
    default: 308,
    doc: "Status of the https and www redirects.",
  }),
  noTlsRedirectLocations: setting({
    kind: text.pathPrefixes,
    default: ["/.well-known/acme-challenge"],
    doc: "Paths (prefixes of the path in the Ingress) that are never redirected to https.",
  }),
  usePortInRedirects: toggle({
    directive: { name: "port_in_redirect", context: "http" },
    doc: "Names the port in redirects that nginx itself makes.",
  }),
  hsts: toggle({
    default: true,
    forRoutes: { instead: false },
    doc: "Sends Strict-Transport-Security with every answer over TLS.",
  }),
  hstsMaxAge: setting({
    kind: count({ min: 0 }),
    default: 31_536_000,
    doc: "Seconds that a browser remembers to use https only.",
  }),
  hstsIncludeSubdomains: toggle({ default: true, doc: "Extends HSTS to all names under the host." }),
  hstsPreload: toggle({ doc: "Adds the preload word to HSTS." }),
});
