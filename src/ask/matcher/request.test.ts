import { expect, test } from "vitest";
import { readRequest } from "./request.ts";

const read = (host: string) =>
  readRequest({ scheme: "http", host, target: "/", method: "GET", headers: new Map() })?.host;

test.each(["evil.com?.wild.example", "u@a.example", "a b", `${"a.".repeat(3_950)}example`, `${"a".repeat(254)}`])(
  "%s is no host",
  (host) => expect(read(host)).toBeUndefined(),
);

test.each(["a.example", "a_b~!$&'()*+,;=%41.example", "[2001:db8::1]", "a".repeat(253)])("%s is a host", (host) =>
  expect(read(host)).toBe(host),
);
