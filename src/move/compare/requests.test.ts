import { expect, test } from "vitest";
import { addressOf } from "../replay/address.ts";
import { withoutCredentials } from "../replay/credentials.ts";
import { requestOf } from "../replay/request.ts";
import { requestsIn } from "./request-lines.ts";

test("a file holds URLs, methods with URLs, and JSON; unreadable lines are reported by number", () => {
  const read = requestsIn(`# the shop
https://Shop.example/a?b=1#c
HEAD shop.example:8080/x

{"url": "http://shop.example/", "method": "POST", "headers": {"X-A": "1"}, "body": "b"}`);
  expect(read).toEqual({
    ok: true,
    requests: [
      { method: "GET", scheme: "https", host: "shop.example", target: "/a?b=1", headers: new Map() },
      { method: "HEAD", scheme: "http", host: "shop.example:8080", target: "/x", headers: new Map() },
      {
        method: "POST",
        scheme: "http",
        host: "shop.example",
        target: "/",
        headers: new Map([["x-a", "1"]]),
        body: "b",
      },
    ],
  });
  const why = (text: string) => (requestsIn(text) as { why: string }).why;
  expect(why("a.example/\nget a.example/")).toBe(
    'line 2 is neither a URL, nor METHOD URL, nor {"url": …}: "get a.example/"',
  );
  for (const line of ['{"url": 1}', '{"url": "a.example", "headers": {"a\\nb": "c"}}', '{"url": "a.example"', "a b c"])
    expect(why(line)).toContain("line 1 is neither");
});

test("a URL without a path requests /, and a query alone is added to it", () => {
  expect(requestOf("GET", "shop.example")?.target).toBe("/");
  expect(requestOf("GET", "shop.example?a")?.target).toBe("/?a");
  expect(requestOf("GET", "ftp://shop.example")).toBeUndefined();
  expect(requestOf("GET", "http://user:pw@shop.example")).toBeUndefined();
});

test.each([
  ["192.0.2.1", { http: { host: "192.0.2.1", port: 80 }, https: { host: "192.0.2.1", port: 443 } }],
  ["192.0.2.1:8080", { http: { host: "192.0.2.1", port: 8080 } }],
  ["https://lb.example", { https: { host: "lb.example", port: 443 } }],
  ["[2001:db8::1]:81", { http: { host: "2001:db8::1", port: 81 } }],
  ["http://a:1,https://b:2", { http: { host: "a", port: 1 }, https: { host: "b", port: 2 } }],
])("the address %s has a host and a port for each scheme", (text, address) => {
  expect(addressOf(text)).toEqual({ ok: true, address });
});

test.each(["", "a:0", "a:70000", "http://a/path", "ftp://a", "a b"])("%j is refused as an address", (text) => {
  expect(addressOf(text)).toMatchObject({ ok: false, why: expect.stringContaining("is not an address such as") });
});

test("an address that names one scheme twice is refused", () => {
  expect(addressOf("http://a,http://b")).toEqual({ ok: false, why: '"http://a,http://b" names two http addresses' });
});

test("values of parameters that look like credentials are masked", () => {
  expect(withoutCredentials("/a?page=2&access_token=abc&X-Amz-Signature=f&q=%3D&tok%65n=1&empty&code=7")).toBe(
    "/a?page=2&access_token=&X-Amz-Signature=&q=%3D&tok%65n=&empty&code=",
  );
  expect(withoutCredentials("/token/abc")).toBe("/token/abc");
});
