/**
 * One small example of each feature; `features.test.ts` records nginx's text for it. A feature
 * without an example does not compile.
 */

import type { KubernetesObject } from "../../../src/core/model/objects.ts";
import type { features } from "../../../src/core/policies/registry.ts";

export interface FeatureCase {
  /** Annotations without their prefix. */
  readonly annotations: Readonly<Record<string, string>>;
  /** Keys of the ConfigMap, in both clusters that are compared. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Objects in both clusters. `pem` stands for `authority.pem`. */
  readonly others?: readonly KubernetesObject[];
  /** Annotations of both Ingresses. */
  readonly beside?: Readonly<Record<string, string>>;
  /** Whether the annotated Ingress is an additional one, and not the one that is compared. */
  readonly isSecond?: true;
}

const snippets = { "allow-snippet-annotations": "true", "annotations-risk-level": "Critical" };
const object = (kind: string, name: string, data: Readonly<Record<string, string>>) =>
  ({ apiVersion: "v1", kind, metadata: { namespace: "shop", name }, data }) as KubernetesObject;
const base64 = (text: string) => Buffer.from(text).toString("base64");

export const cases: Readonly<Record<keyof typeof features, FeatureCase>> = {
  configurationSnippet: { annotations: { "configuration-snippet": "add_header X-Own 1;" }, settings: snippets },
  serverSnippet: { annotations: { "server-snippet": "add_header X-Own 1;" }, settings: snippets },
  streamSnippet: { annotations: { "stream-snippet": "server { listen 9000; return x; }" }, settings: snippets },
  sslPassthrough: { annotations: { "ssl-passthrough": "true" } },
  aliases: { annotations: { "server-alias": "www2.shop.example, *.old.example" } },
  appRoot: { annotations: { "app-root": "/home" } },
  redirects: { annotations: { "permanent-redirect": "https://new.example/shop" } },
  cors: { annotations: { "enable-cors": "true", "cors-allow-origin": "https://a.example" } },
  customErrors: { annotations: { "custom-http-errors": "404,503", "default-backend": "web" } },
  customHeaders: {
    annotations: { "custom-headers": "shop/headers" },
    settings: { "global-allowed-response-headers": "X-Own" },
    others: [object("ConfigMap", "headers", { "X-Own": "1" })],
  },
  rateLimits: { annotations: { "limit-rps": "5", "limit-connections": "2", "limit-allowlist": "192.0.2.0/24" } },
  logs: { annotations: { "enable-access-log": "false", "enable-rewrite-log": "true" } },
  http2PushPreload: { annotations: { "http2-push-preload": "true" } },
  rewrite: { annotations: { "rewrite-target": "/new" } },
  sslRedirect: { annotations: { "force-ssl-redirect": "true" } },
  accessLists: { annotations: { "whitelist-source-range": "192.0.2.0/24", "denylist-source-range": "198.51.100.1" } },
  satisfy: { annotations: { satisfy: "any" } },
  basicAuth: {
    annotations: { "auth-type": "basic", "auth-secret": "users", "auth-realm": "Shop" },
    others: [object("Secret", "users", { auth: base64("ann:$apr1$x$x\n") })],
  },
  requestBody: { annotations: { "proxy-body-size": "8m", "proxy-request-buffering": "off" } },
  backendProtocol: { annotations: { "backend-protocol": "HTTPS" } },
  backendRequest: { annotations: { "upstream-vhost": "inner.example", "proxy-http-version": "1.0" } },
  fastcgi: { annotations: { "fastcgi-index": "index.php" }, beside: { "backend-protocol": "FCGI" } },
  externalAuth: {
    annotations: { "auth-url": "http://auth.shop.svc.cluster.local/check", "auth-signin": "https://login.example/" },
  },
  mirror: { annotations: { "mirror-target": "http://copy.shop.svc.cluster.local" } },
  modsecurity: { annotations: { "enable-modsecurity": "true" } },
  opentelemetry: { annotations: { "enable-opentelemetry": "true" } },
  clientCertificate: {
    annotations: { "auth-tls-secret": "shop/authorities", "auth-tls-verify-depth": "2" },
    others: [object("Secret", "authorities", { "ca.crt": "pem" })],
  },
  proxySsl: {
    annotations: {
      "proxy-ssl-secret": "shop/authorities",
      "proxy-ssl-verify": "on",
      "proxy-ssl-name": "inner.example",
    },
    others: [object("Secret", "authorities", { "ca.crt": "pem" })],
    beside: { "backend-protocol": "HTTPS" },
  },
  sslCiphers: { annotations: { "ssl-ciphers": "ECDHE-RSA-AES256-GCM-SHA384" } },
  sslPreferServerCiphers: { annotations: { "ssl-prefer-server-ciphers": "true" } },
  proxyTimeouts: { annotations: { "proxy-read-timeout": "120", "proxy-connect-timeout": "2" } },
  nextUpstream: { annotations: { "proxy-next-upstream": "error http_502", "proxy-next-upstream-tries": "2" } },
  proxyBuffers: { annotations: { "proxy-buffering": "on", "proxy-buffer-size": "8k" } },
  answers: { annotations: { "proxy-cookie-path": "/ /shop/", "proxy-redirect-from": "default" } },
  limitRate: { annotations: { "limit-rate": "100" }, beside: { "proxy-buffering": "on" } },
  canary: { annotations: { canary: "true", "canary-weight": "20", "canary-by-header": "X-New" }, isSecond: true },
  loadBalance: { annotations: { "load-balance": "ewma" } },
  upstreamHashBy: { annotations: { "upstream-hash-by": "$request_uri" } },
  serviceUpstream: { annotations: { "service-upstream": "true" } },
  sessionAffinity: {
    annotations: { affinity: "cookie", "session-cookie-name": "shop", "session-cookie-max-age": "60" },
  },
};
