import { expect, test } from "vitest";
import { TokenBucket } from "./token-bucket.ts";

test("a burst at once, then one token for each period", () => {
  const bucket = new TokenBucket(0.5, 2, 0);
  expect([bucket.take(0), bucket.take(0), bucket.take(0)]).toEqual([true, true, false]);
  expect(bucket.waitMs(0)).toBe(2000);
  expect(bucket.take(1999)).toBe(false);
  expect(bucket.take(2000)).toBe(true);
});

test("a long pause gives no more than the burst", () => {
  const bucket = new TokenBucket(1, 2, 0);
  const taken = Array.from({ length: 4 }, () => bucket.take(60_000));
  expect(taken).toEqual([true, true, false, false]);
});
