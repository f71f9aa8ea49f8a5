/**
 * Values for each annotation: its example, the good samples of its Kind, or the name of an object
 * of the test's cluster. A few are deliberately bad.
 */

import type { Field, Fields } from "../../../src/core/policies/declare.ts";
import { featureList } from "../../../src/core/policies/registry.ts";
import { annotationSamples } from "../../support/samples.ts";
import type { Draws } from "../draws.ts";

/** Annotations that are left out, with the reason. */
const untried: Readonly<Record<string, string>> = {
  "stream-snippet": "streams have no part in requests, and two snippets cannot listen on one port",
  "enable-owasp-core-rules": "its rules are not on every machine, and take seconds to load",
  canary: "drawn with its Ingress",
};

const auth = "http://192.0.2.20:8080";
const many = ["1000", "1000000"];

/**
 * Values that name objects of the test's cluster, in place of the samples. FAMILY is the domain of
 * the hosts.
 */
const meaningful: Readonly<Record<string, readonly string[]>> = {
  "server-alias": ["alias.FAMILY", "one.alias.FAMILY,two.alias.FAMILY", "*.al.FAMILY", "~^n[0-9]+\\.FAMILY$"],
  "app-root": ["/app", "/a/b", "/$host/home"],
  "permanent-redirect": ["https://www.example.com/there", "/elsewhere"],
  "permanent-redirect-code": ["308", "301", "307"],
  "temporal-redirect-code": ["307", "303"],
  "default-backend": ["errors", "none", "c", "missing"],
  "custom-headers": ["ns/headers", "other/headers", "ns/missing"],
  "limit-connections": many,
  "limit-rps": many,
  "limit-rpm": many,
  "auth-type": ["basic", "basic", "digest", ""],
  "auth-secret": ["passwords", "ns/passwords", "users", "missing"],
  "auth-url": [`${auth}/check`, `${auth}/check?echo-status=401`, `${auth}/check?echo-need-cookie=session`],
  "auth-proxy-set-headers": ["headers", "ns/headers"],
  "auth-tls-secret": ["ns/ca"],
  "proxy-ssl-secret": ["ns/client-tls", "other/client-tls"],
  "fastcgi-params-configmap": ["ns/headers"],
  "mirror-target": ["http://192.0.2.19:8080/copy", "http://192.0.2.19:8080$request_uri"],
  "configuration-snippet": [
    "more_set_headers 'X-Snippet: one';",
    "proxy_set_header X-Snippet $host;",
    "if ($arg_teapot) { return 418; }",
    "add_header X-Added $scheme always;",
  ],
  "rewrite-target": ["/$2", "/r/$1", "/fixed", "https://other.example/$1", "/x$uri", "/"],
  // On a busy machine a second may pass before a backend answers.
  "proxy-connect-timeout": ["30", "60"],
  "proxy-send-timeout": ["120", "3600"],
  "proxy-read-timeout": ["120", "3600"],
  "upstream-hash-by": ["$request_uri", "$arg_x"],
  "proxy-body-size": ["0", "1k", "64k", "1m"],
  "proxy-http-version": ["1.0", "1.1"],
  "cors-allow-origin": ["*", "https://shop.example.com, https://*.example.org", "https://shop.example.com"],
  "custom-http-errors": ["404", "404, 503", "418,502"],
};

/** Values that the other annotations of the same feature need; they are drawn more often. */
const usual: Readonly<Record<string, string>> = {
  "enable-cors": "true",
  "auth-type": "basic",
  "auth-secret": "passwords",
  "auth-url": `${auth}/check`,
  affinity: "cookie",
  "enable-modsecurity": "true",
  "use-regex": "true",
  "mirror-target": "http://192.0.2.19:8080/copy",
};

const isSwitch = ({ kind }: Field<unknown>): boolean => kind.label === "true or false";

function drawnValue(field: Field<unknown>, draw: Draws): string {
  const { key, example } = field;
  const samples = annotationSamples(field);
  const bad = samples.bad.filter((text) => !text.includes("\0"));
  if (draw.below(40) === 0 && bad.length > 0) return draw.of(bad);
  if (usual[key] !== undefined && draw.below(2) === 0) return usual[key];
  if (isSwitch(field)) return draw.of(["true", "true", "false"]);
  return draw.of(meaningful[key] ?? [example, ...samples.good]);
}

/** Draws the annotations of an Ingress, without their prefix. */
export function annotationsFrom(draw: Draws): Record<string, string> {
  const count = draw.of([0, 1, 1, 2, 3, 5]);
  const drawn = Array.from({ length: count }, () => {
    const [, { fields, gate }] = draw.of(featureList.filter(([name]) => name !== "canary"));
    const all = Object.entries(fields as Fields).filter(([, { key }]) => untried[key] === undefined);
    const some = all.filter(([name]) => name === gate || draw.below(all.length < 3 ? 3 : 2) > 0);
    return some.map(([, field]) => [field.key, drawnValue(field, draw)] as const);
  });
  return Object.fromEntries(drawn.flat());
}

/**
 * Draws the annotations of a canary. Its weight is all or nothing, because random choices cannot be
 * compared.
 */
export function canaryAnnotations(draw: Draws): Record<string, string> {
  const header = draw.of(["", "X-Canary", "X-Canary", "a-b.c"]);
  const value = header === "" ? "" : draw.of(["", "", "eu-west", "a b"]);
  const pattern = header === "" || value !== "" ? "" : draw.of(["", "^eu-", "a|b"]);
  const all = {
    canary: "true",
    "canary-by-header": header,
    "canary-by-header-value": value,
    "canary-by-header-pattern": pattern,
    "canary-by-cookie": draw.of(["", "", "canary", "beta.1"]),
    "canary-weight": draw.of(["", "0", "100", "1000"]),
    "canary-weight-total": draw.of(["", "", "1000"]),
    ...(draw.below(4) === 0 ? { affinity: "cookie", "affinity-canary-behavior": draw.of(["sticky", "legacy"]) } : {}),
  };
  const { "canary-weight": weight, "canary-weight-total": total } = all;
  const isWhole = total !== "1000" || weight !== "100";
  return Object.fromEntries(
    Object.entries(all).filter(([key, text]) => text !== "" && (isWhole || key !== "canary-weight-total")),
  );
}
