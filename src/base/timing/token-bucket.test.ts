import { expect, test } from "vitest";
import { TokenBucket } from "./token-bucket.ts";

test("a bucket gives its burst at once, then one token for each period", () => {
  const bucket = new TokenBucket(0.5, 2, 0);
  expect([bucket.take(0), bucket.take(0), bucket.take(0)]).toEqual([true, true, false]);
  expect(bucket.waitMs(0)).toBe(2000);
  expect(bucket.take(1999)).toBe(false);
  expect(bucket.take(2000)).toBe(true);
});

test("after a long pause there are no more tokens than the burst", () => {
  const bucket = new TokenBucket(1, 2, 0);
  const taken = Array.from({ length: 4 }, () => bucket.take(60_000));
  expect(taken).toEqual([true, true, false, false]);
});
