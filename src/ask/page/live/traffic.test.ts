import { expect, test } from "vitest";
import { FakeClock } from "../../../../test/support/fake-clock.ts";
import type { CountedSums } from "../../../edges/metrics/request-metrics.ts";
import { TrafficWindows } from "./traffic.ts";

function followed() {
  const clock = new FakeClock();
  const followers = new Set<(sums: CountedSums) => void>();
  const follow = (follower: (sums: CountedSums) => void) => {
    followers.add(follower);
    return () => void followers.delete(follower);
  };
  const windows = new TrafficWindows({ bounds: [0.1, 1], follow }, () => clock.now());
  const came = (sums: Partial<CountedSums>) => {
    const all = { host: "a.example", owner: "shop/web", path: "/", status: "200", count: 1, buckets: [1, 0], ...sums };
    for (const follower of followers) follower(all);
  };
  return { clock, followers, windows, came };
}

test("rates are those of the last seconds, for each path and in total", () => {
  const { clock, windows, came } = followed();
  came({ count: 30, buckets: [30, 0] });
  came({ host: "b.example", status: "502", count: 10, buckets: [0, 10] });
  clock.freeze(10_000);
  expect(windows.of("a.example", "shop/web", "/")).toMatchObject({ requestsPerSecond: 3, errorsPerSecond: 0 });
  expect(windows.all).toMatchObject({ requestsPerSecond: 4, errorsPerSecond: 1 });
  expect(windows.of("c.example", "shop/web", "/")).toEqual({
    requestsPerSecond: 0,
    errorsPerSecond: 0,
    p50: null,
    p99: null,
  });
});

test("times of answers are estimated within a bucket, or are above the last one", () => {
  const { windows, came } = followed();
  came({ count: 100, buckets: [50, 40] });
  const { p50, p99 } = windows.all;
  expect(p50).toEqual({ seconds: 0.1, orMore: false });
  expect(p99).toEqual({ seconds: 1, orMore: true });
  came({ count: 100, buckets: [0, 100] });
  expect(windows.all.p50?.seconds).toBeCloseTo(0.1 + 0.9 * (50 / 140));
});

test("figures older than two windows are dropped", () => {
  const { clock, windows, came } = followed();
  came({ count: 60, buckets: [60, 0] });
  clock.freeze(16_000);
  expect(windows.all.requestsPerSecond).toBeCloseTo(60 / 16);
  clock.freeze(16_000);
  came({ count: 0, buckets: [0, 0] });
  expect(windows.all.requestsPerSecond).toBe(0);
});

test("after closing no figures are collected", () => {
  const { windows, followers } = followed();
  windows.close();
  expect(followers.size).toBe(0);
});
