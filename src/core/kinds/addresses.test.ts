import { expect, test } from "vitest";
import { isLoopback } from "./addresses.ts";

test.each([
  ["127.0.0.1", true],
  ["::1", true],
  ["::ffff:127.0.0.1", true],
  ["0.0.0.0", false],
  ["192.0.2.1", false],
  ["127.evil.example", false],
])("%s counts as a loopback address: %s", (one, expected) => {
  expect(isLoopback(one)).toBe(expected);
});
