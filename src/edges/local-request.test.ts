import type { IncomingHttpHeaders } from "node:http";
import type { Socket } from "node:net";
import { expect, test } from "vitest";
import { urlOf, whyNotLocal } from "./local-request.ts";

const asked = (remoteAddress: string, headers: IncomingHttpHeaders, url = "/ui/") =>
  whyNotLocal({ socket: { remoteAddress } as Socket, headers, url });

test.each([
  ["/", "/"],
  ["/healthz?verbose", "/healthz?verbose"],
  ["//", "//"],
  ["//evil.example/ui?a=b", "//evil.example/ui?a=b"],
  ["///", "///"],
  ["//[", "//["],
  ["http://127.0.0.1:10254/metrics?a", "/metrics?a"],
  ["*", "/"],
  ["127.0.0.1:80", "/"],
  ["", "/"],
])("the path of a request for %j is %s", (url, path) => {
  const { pathname, search } = urlOf({ url });
  expect(`${pathname}${search}`).toBe(path);
});

test.each(["localhost", "LOCALHOST:10254", "127.0.0.1", "127.0.0.1:80", "[::1]", "[::1]:10254"])(
  "a request from this machine for host %s counts as local",
  (host) => {
    for (const peer of ["127.0.0.1", "::1", "::ffff:127.0.0.1"]) expect(asked(peer, { host })).toBeUndefined();
  },
);

test.each([
  ["192.0.2.1", { host: "localhost" }],
  ["::ffff:192.0.2.1", { host: "127.0.0.1" }],
  ["127.0.0.1", {}],
  ["127.0.0.1", { host: "evil.example" }],
  ["127.0.0.1", { host: "localhost.evil.example" }],
  ["127.0.0.1", { host: "127.0.0.1.evil.example:80" }],
  ["127.0.0.1", { host: "127.0.0.2" }],
  ["127.0.0.1", { host: "localhost", "x-forwarded-for": "192.0.2.7" }],
  ["127.0.0.1", { host: "localhost", "x-real-ip": "192.0.2.7" }],
  ["127.0.0.1", { host: "localhost", via: "1.1 proxy" }],
  ["127.0.0.1", { host: "localhost", "x-forwarded-proto": "https" }],
  ["127.0.0.1", { host: "localhost", "x-original-forwarded-for": "192.0.2.7" }],
  ...[
    "localhost.",
    "127.1",
    "127.0.1",
    "[::ffff:127.0.0.1]",
    "[0:0:0:0:0:0:0:1]",
    "[::1]x",
    "localhost:",
    "localhost:a",
  ].map((host): [string, IncomingHttpHeaders] => ["127.0.0.1", { host }]),
])("a request from %s with the headers %j does not count as local", (peer, headers) => {
  expect(asked(peer, headers)).toMatch(/\n$/);
});

test("the host in a target counts beside the Host header", () => {
  const host = "localhost:10254";
  expect(asked("127.0.0.1", { host }, "http://127.0.0.1:10254/ui/")).toBeUndefined();
  for (const url of ["http://evil.example/ui/", "http://localhost.evil.example/ui/", "evil.example:80", "*"])
    expect.soft(asked("127.0.0.1", { host }, url), url).toMatch(/^ask for it as localhost/);
  expect(asked("127.0.0.1", { host: "evil.example" }, "http://localhost/ui/")).toMatch(/^ask for it as localhost/);
});
