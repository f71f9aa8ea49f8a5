/** Annotations that stand alone, although they have an effect only beside another one. */
import { expect, test } from "vitest";
import { base, configMap, fake, ingress, put, service } from "../../../../test/support/sketch.ts";
import { sentence } from "../../model/problem.ts";
import type { AnyFeature, Fields } from "../../policies/declare.ts";
import { featureList } from "../../policies/registry.ts";
import { defaultOptions } from "../../table/options.ts";
import { translate } from "../../table/translator.ts";
import { emptyInputs } from "../../table/turn.ts";

function idle(annotations: Readonly<Record<string, string>>, data: Readonly<Record<string, string>> = {}): string[] {
  const own = ingress({ name: "a", host: "a.example", paths: [["/", "web"]], annotations });
  const settings = { "allow-snippet-annotations": "true", "annotations-risk-level": "Critical", ...data };
  const snapshot = put(base, service("web"), own, configMap("ns/settings", settings));
  const options = { ...defaultOptions, configMap: "ns/settings" };
  const { problems } = translate({ ...emptyInputs, snapshot }, options, fake);
  return [...problems.values()].flat().flatMap((one) => {
    const [, key, why] = /^annotation (\S+) has no effect: (.*)$/.exec(sentence(one)) ?? [];
    return key === undefined ? [] : [`${key}: ${why}`];
  });
}

const examples = featureList.flatMap(([, { fields }]: readonly [string, AnyFeature]) =>
  Object.values(fields as Fields).map(({ key, example }) => [key, example] as const),
);

test("each annotation that does nothing alone is reported with what it needs, and no other one is", () => {
  expect(examples.flatMap(([key, example]) => idle({ [key]: example }))).toMatchInlineSnapshot(`
    [
      "ssl-passthrough: the controller runs without --enable-ssl-passthrough",
      "permanent-redirect-code: no redirect is set",
      "temporal-redirect-code: no redirect is set",
      "cors-allow-origin: enable-cors is not true",
      "cors-allow-methods: enable-cors is not true",
      "cors-allow-headers: enable-cors is not true",
      "cors-expose-headers: enable-cors is not true",
      "cors-allow-credentials: enable-cors is not true",
      "cors-max-age: enable-cors is not true",
      "default-backend: Service error-pages not found",
      "disable-proxy-intercept-errors: custom-http-errors is not set",
      "limit-burst-multiplier: no limit is set",
      "limit-allowlist: no limit is set",
      "http2-push-preload: nginx has not pushed since 1.25.1, and browsers no longer take it",
      "satisfy: it chooses between access lists, Basic and external authentication, and fewer than two of them are set",
      "auth-secret: it needs auth-type, and without it no password is asked for",
      "auth-secret-type: it needs auth-type, and without it no password is asked for",
      "auth-realm: it needs auth-type, and without it no password is asked for",
      "x-forwarded-prefix: it is sent only with rewrite-target",
      "fastcgi-index: backend-protocol is not FCGI",
      "fastcgi-params-configmap: it is in another namespace; its parameters are not sent",
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
      "enable-owasp-core-rules: it needs enable-modsecurity",
      "modsecurity-transaction-id: it needs enable-modsecurity",
      "modsecurity-snippet: it needs enable-modsecurity",
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
      "canary-by-header: canary is not true, so this is an ordinary Ingress",
      "canary-by-header-value: canary is not true, so this is an ordinary Ingress",
      "canary-by-header-pattern: canary is not true, so this is an ordinary Ingress",
      "canary-by-cookie: canary is not true, so this is an ordinary Ingress",
      "canary-weight: canary is not true, so this is an ordinary Ingress",
      "canary-weight-total: canary is not true, so this is an ordinary Ingress",
      "upstream-hash-by-subset: upstream-hash-by is not set",
      "upstream-hash-by-subset-size: upstream-hash-by-subset is not on",
      "affinity-mode: it needs affinity",
      "affinity-canary-behavior: this is no canary",
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

const auth = { "auth-url": "http://192.0.2.20/check" };
const sticky = { affinity: "cookie" };
const any = { satisfy: "any", "whitelist-source-range": "10.0.0.0/8" };

test.each([
  [{ ...auth, "auth-signin-redirect-param": "next" }, ["auth-signin-redirect-param: it needs auth-signin"]],
  [{ ...auth, "auth-signin": "https://a/", "auth-signin-redirect-param": "next" }, []],
  [{ ...auth, "auth-cache-duration": "200 5m" }, ["auth-cache-duration: it needs auth-cache-key"]],
  [{ ...auth, "auth-keepalive-timeout": "5" }, ["auth-keepalive-timeout: it needs auth-keepalive"]],
  [{ ...auth, "auth-keepalive": "8", "auth-keepalive-timeout": "5" }, []],
  [{ ...sticky, "session-cookie-name": "a", "session-cookie-samesite": "None" }, []],
  [
    { ...sticky, "session-cookie-conditional-samesite-none": "true" },
    ["session-cookie-conditional-samesite-none: session-cookie-samesite is not None"],
  ],
  [{ ...sticky, "load-balance": "ewma" }, ["load-balance: affinity chooses the Endpoint"]],
  [{ "upstream-hash-by": "$host", "load-balance": "ewma" }, ["load-balance: upstream-hash-by chooses the Endpoint"]],
  [{ ...sticky, "upstream-hash-by": "$host" }, ["upstream-hash-by: affinity chooses the Endpoint"]],
  [{ "enable-cors": "true", "cors-allow-origin": "*.a.example" }, ["enable-cors: cors-allow-origin names no origin"]],
  [{ "enable-cors": "true", "cors-allow-origin": "*.a.example, https://a.example" }, []],
  [any, [expect.stringMatching(/^satisfy: .*fewer than two of them are set$/)]],
  [{ ...any, ...auth }, []],
  [{ ...any, "configuration-snippet": "auth_basic on;" }, []],
  [{ "proxy-buffering": "on", "proxy-buffers-number": "8", "limit-rate": "5", "limit-rate-after": "5" }, []],
  [{ "proxy-buffering": "on", "limit-rate-after": "5" }, ["limit-rate-after: limit-rate is not set"]],
  [{ ...auth, "proxy-buffers-number": "8" }, []],
  [{ "proxy-redirect-from": "http://a/", "proxy-redirect-to": "http://b/" }, []],
  [{ "custom-http-errors": "404", "disable-proxy-intercept-errors": "true" }, []],
  [
    { "proxy-next-upstream": "off", "proxy-next-upstream-tries": "2" },
    ["proxy-next-upstream-tries: proxy-next-upstream is off, so only one Endpoint is tried"],
  ],
  [
    { canary: "true", "canary-by-cookie": "c", "canary-weight-total": "200" },
    ["canary-weight-total: canary-weight is not set, or is 0"],
  ],
  [{ canary: "true", "canary-weight": "1", "affinity-canary-behavior": "legacy" }, []],
  [{ "session-cookie-secure": "false", "proxy-ssl-verify": "off", "auth-tls-verify-client": "off" }, []],
] as const)("%o: %o", (annotations: Readonly<Record<string, string>>, expected) => {
  expect(idle(annotations)).toEqual(expected);
});

test.each([
  { ...any, "auth-type": "basic", "auth-secret": "ns/absent" },
  { satisfy: "any", "whitelist-source-range": "10.0.0.0", "auth-url": "no URL" },
  { "permanent-redirect": "no URL", "permanent-redirect-code": "308" },
  { "custom-http-errors": "all", "disable-proxy-intercept-errors": "true" },
  { "limit-rpm": "many", "limit-burst-multiplier": "2" },
])("an annotation that is refused is not missing: %o", (annotations: Readonly<Record<string, string>>) => {
  expect(idle(annotations)).toEqual([]);
});

test("an annotation that is refused leaves what is said of others", () => {
  const refused = { "limit-rpm": "many", "whitelist-source-range": "10.0.0.0" };
  expect(idle({ ...refused, "cors-max-age": "5", "limit-burst-multiplier": "2" })).toEqual([
    "cors-max-age: enable-cors is not true",
  ]);
});

test("what the ConfigMap turns on is not missing", () => {
  expect(idle({ "modsecurity-transaction-id": "$req_id" }, { "enable-modsecurity": "true" })).toEqual([]);
  expect(idle({ "disable-proxy-intercept-errors": "true" }, { "custom-http-errors": "404" })).toEqual([]);
  expect(idle({ "limit-rate": "5", "proxy-buffers-number": "8" }, { "proxy-buffering": "on" })).toEqual([]);
});

test("an annotation whose counterpart is refused gets no message of its own", () => {
  const target = { "proxy-redirect-to": "/" };
  expect(idle(target)).toEqual(["proxy-redirect-to: proxy-redirect-from is off"]);
  expect(idle({ ...target, "proxy-redirect-from": "https://$host" })).toEqual([]);
  expect(idle({ ...target, "proxy-redirect-from": "off" })).toEqual(["proxy-redirect-to: proxy-redirect-from is off"]);
});
