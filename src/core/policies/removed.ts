/** Annotations that users write although ingress-nginx never had them or has them no longer. */

import { own } from "../model/own.ts";

const probes = "the readiness probes of the Pods decide which of them are asked";

const always = "a request with the value always in the cookie of canary-by-cookie goes to the canary";

const strangers: Readonly<Record<string, string>> = {
  "health-check-path": probes,
  "health-check-timeout": probes,
  "healthcheck-path": probes,
  "healthcheck-timeout": probes,
  "allow-http": "ssl-redirect sends clients to https",
  "canary-by-cookie-value": always,
  "canary-cookie-value": always,
  "auth-basic": "auth-type: basic asks for a password, and auth-secret names the Secret with the passwords",
  "auth-basic-realm": "auth-realm is the text of the question",
  "auth-basic-secret": "auth-secret names the Secret, beside auth-type: basic",
  "auth-basic-user-file": "auth-secret names the Secret, beside auth-type: basic",
  "custom-request-headers": "proxy-set-headers in the controller's ConfigMap adds headers to all requests",
  "custom-response-headers": "custom-headers names a ConfigMap with headers of the answer",
  "limit-burst": "limit-burst-multiplier times the limit is the burst",
  "limit-burst-size": "limit-burst-multiplier times the limit is the burst",
  "load-balancer-algorithm": "load-balance or upstream-hash-by chooses the endpoint",
  "log-format": "log-format-upstream in the controller's ConfigMap is the format of all lines",
  "opentelemetry-collector-host": "otlp-collector-host in the controller's ConfigMap names the collector",
  "opentelemetry-collector-port": "otlp-collector-port in the controller's ConfigMap is the collector's port",
  "proxy-hide-headers": "hide-headers in the controller's ConfigMap removes headers of all answers",
  "proxy-set-header": "proxy-set-headers in the controller's ConfigMap adds headers to all requests",
  "rate-limit": "limit-rps and limit-rpm limit requests, and limit-connections connections",
  "rate-limit-window": "limit-rps counts for a second, and limit-rpm for a minute",
  "redirect-to-https": "ssl-redirect and force-ssl-redirect send clients to https",
  "rewrite-log": "enable-rewrite-log logs rewrites",
  "session-cookie-httponly": "the cookie is HttpOnly always",
  "ssl-certificate": "spec.tls names the Secret with the certificate",
  "tls-acme": "cert-manager reads kubernetes.io/tls-acme, without nginx.ingress",
  "websocket-services": "websockets need no annotation",
  "websocket-enabled": "websockets need no annotation",
};

/** Returns the meaning of the name in another program, as the rest of a sentence. */
export const elsewhere = (key: string): string | undefined => own(strangers, key);

/** Words with which whole families of foreign names begin, each with a name of that family. */
const families: Readonly<Record<string, string>> = {
  "health-check": "health-check-path",
  healthcheck: "healthcheck-path",
  "load-balancer": "load-balancer-algorithm",
  "rate-limit": "rate-limit",
  "redirect-to-https": "redirect-to-https",
  "ssl-certificate": "ssl-certificate",
  websocket: "websocket-services",
};

/**
 * Returns the same for a name that begins with the word of a family, such as
 * `rate-limit-requests-per-second`.
 */
export function elsewhereByFamily(key: string): string | undefined {
  const found = Object.keys(families).find((word) => key === word || key.startsWith(`${word}-`));
  return found === undefined ? undefined : elsewhere(families[found]!);
}

/** Annotations of older versions that have no effect any more, each with its replacement. */
export const removed: Readonly<Record<string, string | undefined>> = {
  "enable-influxdb": undefined,
  "influxdb-measurement": undefined,
  "influxdb-port": undefined,
  "influxdb-host": undefined,
  "influxdb-server-name": undefined,
  "secure-verify-ca-secret": "proxy-ssl-secret with proxy-ssl-verify",
  "secure-backends": "backend-protocol with HTTPS",
  "grpc-backend": "backend-protocol with GRPC",
  "add-base-url": undefined,
  "base-url-scheme": undefined,
  "session-cookie-hash": undefined,
  "mirror-uri": "mirror-target",
  "enable-opentracing": "enable-opentelemetry",
  "opentracing-trust-incoming-span": "opentelemetry-trust-incoming-span",
  "global-rate-limit": "limit-rps or limit-rpm, which each replica counts by itself",
  "global-rate-limit-window": undefined,
  "global-rate-limit-key": undefined,
  "global-rate-limit-ignored-cidrs": undefined,
  "upstream-max-fails": "proxy-next-upstream",
  "upstream-fail-timeout": "proxy-next-upstream",
  "vts-filter-key": undefined,
  "lua-resty-waf": undefined,
  "lua-resty-waf-debug": undefined,
  "lua-resty-waf-ignore-rulesets": undefined,
  "lua-resty-waf-extra-rules": undefined,
  "lua-resty-waf-allow-unknown-content-types": undefined,
  "lua-resty-waf-score-threshold": undefined,
  "lua-resty-waf-process-multipart-body": undefined,
};
