import { expect, test } from "vitest";
import { meaningOfUnknown } from "./read.ts";

const limits = "limit-rps and limit-rpm limit requests, and limit-connections connections";
const probes = "the readiness probes of the Pods decide which of them are asked";

test.each([
  ["auth-basic", "auth-type: basic asks for a password, and auth-secret names the Secret with the passwords"],
  ["custom-request-headers", "proxy-set-headers in the controller's ConfigMap adds headers to all requests"],
  ["rate-limit", limits],
  ["rate-limit-requests-per-second", limits],
  ["rate-limit-status-code", limits],
  ["rate-limit-window", "limit-rps counts for a second, and limit-rpm for a minute"],
  ["health-check-interval", probes],
  ["health-check-timeout", probes],
  ["healthcheck-path", probes],
  ["healthcheck-http-status", probes],
  ["healthcheck-timeout", probes],
  ["limit-burst", "limit-burst-multiplier times the limit is the burst"],
  ["canary-by-cookie-value", "a request with the value always in the cookie of canary-by-cookie goes to the canary"],
  ["opentelemetry-collector-host", "otlp-collector-host in the controller's ConfigMap names the collector"],
  ["session-cookie-httponly", "the cookie is HttpOnly always"],
  ["ssl-certificate-arn", "spec.tls names the Secret with the certificate"],
])("the name %s of other programs gets its counterpart", (key, words) => {
  expect(meaningOfUnknown(key)).toEqual({ elsewhere: words });
});

test("a name of ours at the end of a foreign one is the better hint, and another word with the same letters gets none", () => {
  expect(meaningOfUnknown("rate-limit-rps")).toEqual({ nearest: "limit-rps" });
  expect(meaningOfUnknown("rate-limit-connections")).toEqual({ nearest: "limit-connections" });
  expect(meaningOfUnknown("rate-limited-tenants")).toEqual({});
});
