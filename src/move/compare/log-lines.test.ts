import { expect, test } from "vitest";
import { settings } from "../../core/settings/registry.ts";
import { lineReader } from "./log-lines.ts";

const usual =
  '192.0.2.1 - - [23/Nov/2026:06:00:00 +0000] "GET /cart?a=1 HTTP/1.1" 200 5 "-" "curl/8" 80 0.001 [shop-web-80] [] 10.0.0.1:80 5 0.001 200 0f2b';

test("a line in the default log_format has a target and an upstream, whether the format is given or not", () => {
  const found = { target: "/cart?a=1", upstream: "shop-web-80", headers: {} };
  expect(lineReader(undefined)(usual)).toEqual(found);
  expect(lineReader(settings.logFormatUpstream.default)(usual)).toEqual(found);
});

test("a line of Traefik's common log has a target", () => {
  const line =
    '192.0.2.1 - - [23/Nov/2026:06:00:00 +0000] "GET /a HTTP/2.0" 200 5 "-" "-" 7 "web@kubernetes" "http://10.0.0.1:80" 1ms';
  expect(lineReader(undefined)(line)).toEqual({ target: "/a", headers: {} });
});

test.each([
  ["nginx", { request: "GET /a?b=1 HTTP/2.0", host: "Shop.example", scheme: "https" }],
  ["Traefik", { RequestMethod: "GET", RequestPath: "/a?b=1", RequestHost: "shop.example", RequestScheme: "https" }],
  ["fields of its own", { method: "GET", uri: "/a", args: "b=1", vhost: "shop.example", scheme: "https" }],
])("a JSON line with the fields of %s has host, scheme and target", (_, line) => {
  const found = { target: "/a?b=1", host: "shop.example", scheme: "https", headers: {} };
  expect(lineReader(undefined)(JSON.stringify(line))).toEqual(found);
});

test("a log_format decides which part of a line is which field, also in JSON with escaped quotes", () => {
  const read = lineReader(
    '{"agent": "$http_user_agent", "at": "${request_uri}", "method": "$request_method", "for": "$host"}',
  );
  expect(read('{"agent": "a \\"b\\", \\\\", "at": "/x\\x22y", "method": "GET", "for": "shop.example"}')).toEqual({
    target: '/x"y',
    host: "shop.example",
    headers: {},
  });
});

test.each([
  ["a POST", usual.replace("GET", "POST")],
  ["a handshake in place of a request", usual.replace("GET /cart?a=1 HTTP/1.1", "\\x16\\x03\\x01")],
  ["a URI for a proxy of another scheme", usual.replace("/cart", "ftp://a/cart")],
  ["no log line", "hello"],
  ["broken JSON", '{"request": "GET / HT'],
])("%s is left out", (_, line) => {
  expect(lineReader(undefined)(line)).toBeUndefined();
});

test("a decoded path is accepted only where it needs no escape", () => {
  const read = lineReader("$request_method $uri");
  expect(read("GET /a")?.target).toBe("/a");
  expect(read("GET /a b")).toBeUndefined();
});

test("credentials of a request are recorded apart, and other headers are not read", () => {
  const read = lineReader('"$request" "$http_authorization" "$http_cookie" "$http_referer"');
  expect(read('"GET / HTTP/1.1" "Basic abc" "-" "https://a.example/"')?.headers).toEqual({
    authorization: "Basic abc",
  });
});
