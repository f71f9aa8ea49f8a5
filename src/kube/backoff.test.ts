import { expect, test } from "vitest";
import { FakeClock } from "../../test/support/fake-clock.ts";
import { Backoff } from "./backoff.ts";

const limits = { floorMs: 800, ceilingMs: 30_000, resetMs: 120_000 };

test("each wait is twice the previous one, up to the ceiling", () => {
  const backoff = new Backoff(limits, new FakeClock(), () => 0);
  const waits = Array.from({ length: 8 }, () => backoff.next());
  expect(waits).toEqual([800, 1_600, 3_200, 6_400, 12_800, 25_600, 30_000, 30_000]);
});

test("jitter adds at most the same time again, also at the ceiling", () => {
  const backoff = new Backoff(limits, new FakeClock(), () => 0.5);
  expect(backoff.next()).toBe(1_200);
  for (let i = 0; i < 20; i += 1) backoff.next();
  expect(backoff.next()).toBe(45_000);
});

test("a failure after a long quiet time, or after a success, counts as the first", async () => {
  const clock = new FakeClock();
  const backoff = new Backoff(limits, clock, () => 0);
  for (let i = 0; i < 3; i += 1) backoff.next();
  await clock.advance(120_000);
  expect(backoff.next()).toBe(6_400);
  await clock.advance(120_001);
  expect(backoff.next()).toBe(800);
  backoff.next();
  backoff.forget();
  expect(backoff.next()).toBe(800);
});
