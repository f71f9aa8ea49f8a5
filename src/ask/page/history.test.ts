import { expect, test } from "vitest";
import { liveBytes } from "../../../test/support/live-bytes.ts";
import type { CountedSums } from "../../edges/metrics/request-metrics.ts";
import { History } from "./history.ts";

function started() {
  let nowMs = 600_000;
  const totals = { reloads: 5, changes: 9 };
  let add = (_: CountedSums) => {};
  const history = new History(
    {
      bounds: [0.1, 1],
      follow(to) {
        add = to;
        return () => {};
      },
    },
    () => nowMs,
    () => ({ ...totals }),
  );
  return {
    history,
    totals,
    pass: (seconds: number) => {
      nowMs += seconds * 1_000;
      history.tick();
    },
    ask: (count: number, { path = "/", status = "200" } = {}) =>
      add({ host: "a.example", owner: "shop/web", path, status, count, buckets: [count, 0] }),
  };
}

const route = { host: "a.example", owner: "shop/web", path: "/" };

test("a step has the requests, errors and times of its thirty seconds, of all and of each route", () => {
  const { history, pass, ask, totals } = started();
  ask(60);
  ask(30, { status: "502" });
  ask(30, { path: "/other" });
  totals.reloads = 6;
  totals.changes = 12;
  pass(30);
  const [all, own] = [history.of(), history.of(route)];
  expect([all.requestsPerSecond.at(-1), own.requestsPerSecond.at(-1), own.errorsPerSecond.at(-1)]).toEqual([4, 3, 1]);
  expect(own.p99.at(-1)).toBeCloseTo(0.099);
  expect([all.reloads.at(-1), all.changes.at(-1)]).toEqual([1, 3]);
  expect(all.requestsPerSecond).toHaveLength(60);
  expect(history.of({ ...route, path: "/none" }).requestsPerSecond.every((one) => one === 0)).toBe(true);
});

test("steps without requests are 0, and what is older than thirty minutes is gone", () => {
  const { history, pass, ask } = started();
  ask(30);
  pass(90);
  ask(60);
  pass(30);
  expect(history.of(route).requestsPerSecond.slice(-4)).toEqual([1, 0, 0, 2]);
  pass(29 * 30 * 2);
  expect(history.of(route).requestsPerSecond.slice(0, 2)).toEqual([0, 2]);
  pass(60);
  expect(Math.max(...history.of(route).requestsPerSecond, ...history.of().requestsPerSecond)).toBe(0);
});

test("it takes at most 3 MB, however many routes get requests", async () => {
  const { history, pass, ask } = started();
  const before = await liveBytes();
  for (let step = 0; step < 3; step++) {
    for (let at = 0; at < 10_000; at++) ask(1, { path: `/some/longer/path/of/a/route/${step}/${at}` });
    pass(30);
  }
  expect((await liveBytes()) - before).toBeLessThan(3_000_000);
  expect(history.of().requestsPerSecond.at(-1)).toBeGreaterThan(300);
});
