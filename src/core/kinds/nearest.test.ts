import { expect, test } from "vitest";
import { nearest } from "./nearest.ts";

const words = ["proxy-body-size", "proxy-buffer-size", "ssl-redirect", "app-root"];

test.each([
  ["proxy-body-sise", "proxy-body-size"],
  ["proxy-boyd-size", "proxy-body-size"],
  ["ssl-redirects", "ssl-redirect"],
  ["approot", "app-root"],
  ["websocket-services", undefined],
  ["x", undefined],
])("the nearest word to %s is %s", (text, meant) => {
  expect(nearest(text, words)).toBe(meant);
});

// Long keys share most of their letters.
test.each([
  ["session-cookie-persistent", undefined],
  ["session-cookie-httponly", undefined],
  ["session-cookie-age", "session-cookie-max-age"],
  ["session-cookie-same-site", "session-cookie-samesite"],
  ["hsts-max-age", undefined],
  ["keepalive-timeout", undefined],
  ["http-snippet", undefined],
  ["ssl-force-redirect", "force-ssl-redirect"],
  ["auth-tls-ca-secret", "auth-tls-secret"],
  ["backend_protocal", "backend-protocol"],
  ["podAnnotation", "podAnnotations"],
  ["externalDNS", undefined],
])("the nearest of similar long words to %s is %s", (text, meant) => {
  const cookie = ["session-cookie-expires", "session-cookie-path", "session-cookie-max-age", "session-cookie-samesite"];
  const others = ["cors-max-age", "auth-keepalive-timeout", "auth-snippet", "ssl-redirect", "force-ssl-redirect"];
  const more = ["auth-tls-secret", "backend-protocol", "podAnnotations", "externalIPs"];
  expect(nearest(text, [...cookie, ...others, ...more])).toBe(meant);
});

test("a listed word that ends the text is the nearest where no other one is similar", () => {
  expect(nearest("rate-limit-rps", ["limit-rps", "rps", "limit-rpm"])).toBe("limit-rps");
  expect(nearest("ratelimitrps", ["rps"])).toBeUndefined();
});
