import { expect, test } from "vitest";
import { TokenBucket } from "./token-bucket.ts";

const at = { ms: 0, now: () => at.ms };

test("a bucket gives its burst at once, then one token for each period", () => {
  at.ms = 0;
  const bucket = new TokenBucket({ perSecond: 0.5, burst: 2 }, at);
  expect([bucket.take(), bucket.take(), bucket.take()]).toEqual([true, true, false]);
  expect(bucket.waitMs()).toBe(2000);
  at.ms = 1999;
  expect(bucket.take()).toBe(false);
  at.ms = 2000;
  expect(bucket.take()).toBe(true);
});

test("after a long pause there are no more tokens than the burst", () => {
  at.ms = 0;
  const bucket = new TokenBucket({ perSecond: 1, burst: 2 }, at);
  at.ms = 60_000;
  expect(Array.from({ length: 4 }, () => bucket.take())).toEqual([true, true, false, false]);
});
