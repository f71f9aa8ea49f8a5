/** Keys about redirects that nginx itself answers, above all to https, and about HSTS. */
import { codeOf } from "../kinds/codes.ts";
import { text } from "../kinds/text.ts";
import { setting } from "./declare.ts";
import { count, toggle } from "./kinds.ts";

export const redirects = {
  sslRedirect: setting({
    key: "ssl-redirect",
    kind: toggle,
    default: true,
    forRoutes: { instead: false },
    doc: "Redirects http to https if a certificate is configured for the host.",
  }),
  forceSslRedirect: setting({
    key: "force-ssl-redirect",
    kind: toggle,
    default: false,
    forRoutes: { instead: false },
    doc: "Redirects http to https for every host, even if TLS ends in front of Sluice.",
  }),
  preserveTrailingSlash: setting({
    key: "preserve-trailing-slash",
    kind: toggle,
    default: false,
    doc: "Keeps a final slash of the request URI in the https redirect.",
  }),
  httpRedirectCode: setting({
    key: "http-redirect-code",
    kind: codeOf([301, 302, 307, 308]),
    default: 308,
    doc: "Status of the https and www redirects.",
  }),
  noTlsRedirectLocations: setting({
    key: "no-tls-redirect-locations",
    kind: text.pathPrefixes,
    default: ["/.well-known/acme-challenge"],
    doc: "Paths (prefixes of the path in the Ingress) that are never redirected to https.",
  }),
  usePortInRedirects: setting({
    key: "use-port-in-redirects",
    kind: toggle,
    default: false,
    directive: { name: "port_in_redirect", context: "http" },
    doc: "Names the port in redirects that nginx itself makes.",
  }),
  hsts: setting({
    key: "hsts",
    kind: toggle,
    default: true,
    forRoutes: { instead: false },
    doc: "Sends Strict-Transport-Security with every answer over TLS.",
  }),
  hstsMaxAge: setting({
    key: "hsts-max-age",
    kind: count({ min: 0 }),
    default: 31_536_000,
    doc: "Seconds that a browser remembers to use https only.",
  }),
  hstsIncludeSubdomains: setting({
    key: "hsts-include-subdomains",
    kind: toggle,
    default: true,
    doc: "Extends HSTS to all names under the host.",
  }),
  hstsPreload: setting({
    key: "hsts-preload",
    kind: toggle,
    default: false,
    doc: "Adds the preload word to HSTS.",
  }),
};
