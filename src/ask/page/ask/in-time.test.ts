import { expect, test } from "vitest";
import { inTime } from "./in-time.ts";

test("work gives its result or its error, and an endless pattern is interrupted", () => {
  expect(inTime(60_000, () => ({ a: 1 }))).toEqual({ a: 1 });
  expect(() =>
    inTime(60_000, () => {
      throw new TypeError("a bug");
    }),
  ).toThrow(new TypeError("a bug"));
  // Without a limit this pattern would practically never end.
  expect(inTime(100, () => /^(a+)+$/.test(`${"a".repeat(100)}!`))).toBeUndefined();
});
