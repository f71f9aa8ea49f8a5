/**
 * Lists the coverage of the corpus by feature, and the features that are not built yet. A case is
 * open while any word that it covers or uses belongs to a feature that is not built. After building
 * a feature, remove its name from `notBuilt`. A rule stands for its whole section: `RS-13` for
 * `RS-13.1` and the rest, unless a longer one is listed elsewhere.
 */
import type { Capability } from "../../src/core/tokens/capabilities.ts";
import type { Case } from "./case.ts";

export const features: Readonly<Record<string, readonly string[]>> = {
  "which objects are served": words(
    "RS-1 --annotations-prefix --deep-inspect --disable-catch-all strict-validate-path-type",
  ),
  "annotation evaluation": words(
    "RS-2 RS-31 annotation-value-word-blocklist annotations-risk-level allow-cross-namespace-resources",
  ),
  "hosts and paths": words("RS-3 RS-4 RS-5 RS-7"),
  "regex and rewrite": words("RS-6 use-regex rewrite-target x-forwarded-prefix"),
  "default backend": words("RS-8 --default-backend-service"),
  endpoints: words("RS-9 service-upstream"),
  certificates: words("RS-10 --default-ssl-certificate"),
  "https redirect and HSTS": words(
    "RS-11 ssl-redirect force-ssl-redirect preserve-trailing-slash http-redirect-code no-tls-redirect-locations",
    "hsts hsts-max-age hsts-include-subdomains hsts-preload",
  ),
  "other redirects": words(
    "RS-12 RS-32.10 RS-32.11 app-root permanent-redirect permanent-redirect-code temporal-redirect temporal-redirect-code",
    "from-to-www-redirect relative-redirects use-port-in-redirects",
  ),
  canary: words(
    "RS-13 canary canary-weight canary-weight-total canary-by-header canary-by-header-value canary-by-header-pattern",
    "canary-by-cookie",
  ),
  "session affinity": words(
    "RS-14 affinity affinity-mode affinity-canary-behavior session-cookie-name session-cookie-path session-cookie-domain",
    "session-cookie-expires session-cookie-max-age session-cookie-samesite session-cookie-change-on-failure",
  ),
  "custom errors": words("RS-15 custom-http-errors default-backend disable-proxy-intercept-errors"),
  "external authentication": words(
    "RS-16 auth-url auth-method auth-signin auth-signin-redirect-param auth-response-headers auth-proxy-set-headers",
    "auth-request-redirect auth-cache-key auth-cache-duration auth-keepalive auth-keepalive-requests auth-keepalive-timeout",
    "auth-snippet enable-global-auth global-auth-url global-auth-method global-auth-signin global-auth-signin-redirect-param",
    "global-auth-response-headers global-auth-request-redirect global-auth-cache-key global-auth-cache-duration",
    "auth-always-set-cookie global-auth-always-set-cookie global-auth-snippet no-auth-locations",
  ),
  "basic and digest": words("RS-17 auth-type auth-secret auth-secret-type auth-realm"),
  "client certificates": words(
    "RS-18 auth-tls-secret auth-tls-verify-client auth-tls-verify-depth auth-tls-error-page auth-tls-match-cn",
    "auth-tls-pass-certificate-to-upstream",
  ),
  "access lists": words("RS-19 whitelist-source-range denylist-source-range satisfy block-cidrs block-user-agents"),
  "handshakes refused": words("ssl-reject-handshake"),
  "status page": words("nginx-status-ipv4-whitelist"),
  "rate limits": words(
    "RS-20 limit-rps limit-rpm limit-connections limit-burst-multiplier limit-allowlist limit-rate limit-rate-after",
    "limit-req-status-code limit-conn-status-code limit-conn-zone-variable",
  ),
  CORS: words("RS-21 enable-cors cors-allow-origin cors-allow-methods cors-allow-headers cors-allow-credentials"),
  mirror: words("RS-22 mirror-target mirror-host mirror-request-body"),
  "client address and forwarded headers": words(
    "RS-23 use-forwarded-headers forwarded-for-header forwarded-host-header forwarded-for-proxy-protocol-header",
    "compute-full-forwarded-for enable-real-ip proxy-real-ip-cidr use-proxy-protocol proxy-add-original-uri-header",
  ),
  "backend protocols": words("RS-24 backend-protocol fastcgi-index fastcgi-params-configmap"),
  "backend TLS": words("proxy-ssl-secret proxy-ssl-verify proxy-ssl-name proxy-ssl-location-only"),
  balancing: words("load-balance upstream-hash-by upstream-hash-by-subset upstream-hash-by-subset-size"),
  "proxy settings": words(
    "proxy-body-size proxy-read-timeout proxy-buffer-size proxy-buffering proxy-buffers-number proxy-busy-buffers-size",
    "proxy-max-temp-file-size proxy-request-buffering proxy-http-version proxy-next-upstream proxy-next-upstream-timeout",
    "proxy-next-upstream-tries proxy-cookie-domain proxy-cookie-path proxy-redirect-from proxy-redirect-to connection-proxy-header upstream-vhost",
    "upstream-keepalive-connections upstream-keepalive-requests upstream-keepalive-time upstream-keepalive-timeout",
  ),
  aliases: words("RS-25.1 server-alias"),
  "headers added and removed": words(
    "RS-25 add-headers proxy-set-headers custom-headers global-allowed-response-headers hide-headers",
    "allow-backend-server-header server-tokens",
  ),
  snippets: words(
    "configuration-snippet server-snippet location-snippet http-snippet main-snippet allow-snippet-annotations",
  ),
  ModSecurity: words("RS-25.4 enable-modsecurity modsecurity-snippet"),
  admission: words("RS-29"),
  "refused configurations": words("RS-30"),
  "TLS settings": words("ssl-protocols ssl-ciphers ssl-dh-param ssl-session-cache ssl-session-tickets use-http2"),
  "connection settings": words(
    "keep-alive keep-alive-requests client-header-timeout client-body-timeout client-header-buffer-size",
    "large-client-header-buffers enable-underscores-in-headers ignore-invalid-headers",
  ),
  "letter case of keys": words("RS-32.20"),
  compression: words("use-gzip gzip-disable enable-brotli brotli-types brotli-min-length default-type"),
  logging: words("disable-access-log skip-access-log-urls log-format-upstream log-format-escape-json error-log-level"),
  "nginx process settings": words(
    "worker-processes server-name-hash-max-size server-name-hash-bucket-size map-hash-bucket-size bind-address disable-ipv6",
    "--http-port --https-port --health-check-path",
  ),
};

/** Features whose cases are open. */
export const notBuilt: readonly string[] = [];

const modules: Readonly<Record<string, Capability>> = {
  "enable-modsecurity": "modsecurity",
  "enable-brotli": "brotli",
};

/**
 * Returns the module of nginx that the case needs and this nginx lacks; undefined if there is none.
 */
export function missingModule(wanted: Case, lacks: ReadonlySet<Capability>): Capability | undefined {
  const used = Object.values(wordsUsedBy(wanted)).flat();
  return used.map((word) => modules[word]).find((module) => module !== undefined && lacks.has(module));
}

/**
 * Returns the features that a case needs, by the words that it covers and by the annotations, keys
 * and flags that it uses. The case is counted under the first one.
 */
export function featuresOf({ covers, ...rest }: Case): readonly string[] {
  const covered = covers.map((word) => featureOf(word) ?? `unknown: ${word}`);
  const used = Object.values(wordsUsedBy(rest)).flat().map(featureOf);
  return [...new Set([...covered, ...used.filter((feature) => feature !== undefined)])];
}

/** Returns the feature that lists the word or its section; undefined when no feature does. */
export function featureOf(word: string): string | undefined {
  const section = word.replace(/\.\d+$/, "");
  const listing = (wanted: string) => Object.keys(features).find((name) => features[name]!.includes(wanted));
  return listing(word) ?? (word.startsWith("RS-") ? listing(section) : undefined);
}

/**
 * Returns the settings of a case, by their source: annotations without prefix, keys of the
 * ConfigMap, and flags with dashes and without values.
 */
export function wordsUsedBy({ objects, requests, configMap, flags }: Omit<Case, "covers">) {
  const everyObject = [...objects, ...requests.flatMap(({ apply }) => apply ?? [])];
  const annotations = everyObject.flatMap(({ metadata }) => Object.keys(metadata.annotations ?? {}));
  return {
    annotations: annotations.map((key) => key.slice(key.indexOf("/") + 1)),
    settings: [configMap, ...requests.map((request) => request.configMap ?? {})].flatMap(Object.keys),
    flags: flags.map((flag) => flag.replace(/=.*/, "")),
  };
}

function words(...lines: readonly string[]): readonly string[] {
  return lines.flatMap((line) => line.split(" "));
}
