/** Keys of RouteSettings that stand alone, although they have an effect only beside another key. */
import { expect, test } from "vitest";
import { gatewayClass, namespace, routeSettings } from "../../../../../test/support/gateways.ts";
import { fake, put } from "../../../../../test/support/sketch.ts";
import type { KubernetesObject } from "../../../model/objects.ts";
import { sentence } from "../../../model/problem.ts";
import { emptySnapshot } from "../../../model/snapshot.ts";
import type { AnyFeature, Fields } from "../../../policies/declare.ts";
import { isForListeners, whyNotOnRoutes } from "../../../policies/on-routes.ts";
import { featureList } from "../../../policies/registry.ts";
import { defaultOptions } from "../../../table/options.ts";
import { translate } from "../../../table/translator.ts";
import { emptyInputs } from "../../../table/turn.ts";

function sentences(values: Readonly<Record<string, string>>, data: Readonly<Record<string, string>> = {}) {
  const metadata = { name: "settings", namespace: "ns" };
  const configMap = { apiVersion: "v1", kind: "ConfigMap", metadata, data } as KubernetesObject;
  const snapshot = put(emptySnapshot, gatewayClass(), namespace("ns"), configMap, routeSettings({ values }));
  const options = { ...defaultOptions, configMap: "ns/settings" };
  const { problems } = translate({ ...emptyInputs, snapshot }, options, fake);
  return [...problems.values()].flat().flatMap((one) => {
    const [, key, needs] = /^spec\.(\S+): has no effect by itself: ([^;]+)/.exec(sentence(one)) ?? [];
    return key === undefined ? [] : [`${key}: ${needs}`];
  });
}

const examples = featureList.flatMap(([, { fields }]: readonly [string, AnyFeature]) =>
  Object.values(fields as Fields).flatMap(({ key, example }) =>
    whyNotOnRoutes(key) === undefined || isForListeners(key) ? [[key, example] as const] : [],
  ),
);
const snippets = { "allow-snippet-annotations": "true", "annotations-risk-level": "Critical" };

test("each key that does nothing alone is reported with the key that it needs, and no other key is", () => {
  expect(examples.flatMap(([key, example]) => sentences({ [key]: example }, snippets))).toMatchInlineSnapshot(`
    [
      "permanent-redirect-code: no redirect is set",
      "temporal-redirect-code: no redirect is set",
      "cors-allow-origin: enable-cors is not true",
      "cors-allow-methods: enable-cors is not true",
      "cors-allow-headers: enable-cors is not true",
      "cors-expose-headers: enable-cors is not true",
      "cors-allow-credentials: enable-cors is not true",
      "cors-max-age: enable-cors is not true",
      "disable-proxy-intercept-errors: custom-http-errors is not set",
      "limit-burst-multiplier: no limit is set",
      "limit-allowlist: no limit is set",
      "satisfy: it chooses between access lists, Basic and external authentication, and fewer than two of them are set",
      "auth-secret: it needs auth-type",
      "auth-secret-type: it needs auth-type",
      "auth-realm: it needs auth-type",
      "x-forwarded-prefix: it is sent only with rewrite-target",
      "fastcgi-index: backend-protocol is not FCGI",
      "fastcgi-params-configmap: backend-protocol is not FCGI",
      "auth-method: it needs auth-url",
      "auth-signin: it needs auth-url",
      "auth-signin-redirect-param: it needs auth-url",
      "auth-response-headers: it needs auth-url",
      "auth-proxy-set-headers: it needs auth-url",
      "auth-request-redirect: it needs auth-url",
      "auth-always-set-cookie: it needs auth-url",
      "auth-cache-key: it needs auth-url",
      "auth-cache-duration: it needs auth-url",
      "auth-keepalive: it needs auth-url",
      "auth-keepalive-share-vars: it needs auth-url",
      "auth-keepalive-requests: it needs auth-url",
      "auth-keepalive-timeout: it needs auth-url",
      "auth-snippet: it needs auth-url",
      "mirror-host: it needs mirror-target",
      "mirror-request-body: it needs mirror-target",
      "enable-owasp-core-rules: it needs enable-modsecurity",
      "modsecurity-transaction-id: it needs enable-modsecurity",
      "modsecurity-snippet: it needs enable-modsecurity",
      "opentelemetry-trust-incoming-span: it needs enable-opentelemetry",
      "opentelemetry-operation-name: it needs enable-opentelemetry",
      "auth-tls-verify-client: it needs auth-tls-secret",
      "auth-tls-verify-depth: it needs auth-tls-secret",
      "auth-tls-error-page: it needs auth-tls-secret",
      "auth-tls-pass-certificate-to-upstream: it needs auth-tls-secret",
      "auth-tls-match-cn: it needs auth-tls-secret",
      "proxy-ssl-verify: it needs proxy-ssl-secret",
      "proxy-ssl-verify-depth: it needs proxy-ssl-secret",
      "proxy-ssl-name: it needs proxy-ssl-secret",
      "proxy-ssl-server-name: it needs proxy-ssl-secret",
      "proxy-ssl-protocols: it needs proxy-ssl-secret",
      "proxy-ssl-ciphers: it needs proxy-ssl-secret",
      "proxy-buffers-number: proxy-buffering is off, so only proxy-buffer-size counts",
      "proxy-busy-buffers-size: proxy-buffering is off, so only proxy-buffer-size counts",
      "proxy-max-temp-file-size: proxy-buffering is off, so only proxy-buffer-size counts",
      "proxy-redirect-to: proxy-redirect-from is off",
      "limit-rate: nginx slows down only what it buffers, and proxy-buffering is off",
      "limit-rate-after: nginx slows down only what it buffers, and proxy-buffering is off",
      "affinity-mode: it needs affinity",
      "session-cookie-name: it needs affinity",
      "session-cookie-path: it needs affinity",
      "session-cookie-domain: it needs affinity",
      "session-cookie-expires: it needs affinity",
      "session-cookie-max-age: it needs affinity",
      "session-cookie-samesite: it needs affinity",
      "session-cookie-conditional-samesite-none: it needs affinity",
      "session-cookie-secure: it needs affinity",
      "session-cookie-change-on-failure: it needs affinity",
    ]
  `);
});

test("a key beside the one that it needs is not reported", () => {
  const pairs = { "enable-opentelemetry": "true", "opentelemetry-operation-name": "shop", affinity: "cookie" };
  expect(
    sentences({
      ...pairs,
      "session-cookie-name": "c",
      "enable-modsecurity": "true",
      "modsecurity-transaction-id": "x",
    }),
  ).toEqual([]);
});

test("a feature that the ConfigMap turns on needs no other key", () => {
  const values = { "modsecurity-transaction-id": "$req_id" };
  expect(sentences(values)).toEqual(["modsecurity-transaction-id: it needs enable-modsecurity"]);
  expect(sentences(values, { "enable-modsecurity": "true" })).toEqual([]);
});
