import { expect, test } from "vitest";
import { isAmong } from "./client.ts";

test.each([
  ["192.0.2.7", ["192.0.2.0/24"], true],
  ["192.0.3.7", ["192.0.2.0/24"], false],
  ["192.0.2.7", ["192.0.2.7"], true],
  ["::ffff:192.0.2.7", ["192.0.2.7/32"], true],
  ["2001:db8::1", ["192.0.2.0/24", "2001:db8::/32"], true],
  ["2001:db9::1", ["2001:db8::/32"], false],
  ["2001:db9::1", ["all"], true],
  ["192.0.2.7", [], false],
] as const)("the client %s is in the list %j: %s", (address, ranges, wanted) => {
  expect(isAmong(address, ranges)).toBe(wanted);
});
