import { expect, test } from "vitest";
import type { Problem } from "../../core/model/problem.ts";
import { Table } from "../../core/model/table.ts";
import { ProblemTimes } from "./problem-times.ts";

const problem = (name: string, why = "is wrong"): Problem => ({
  object: { kind: "Ingress", namespace: "shop", name },
  kind: "nginx-refused",
  why,
});

test("a Problem keeps its time while it lasts, also when its table is replaced", () => {
  let now = 1_000;
  const times = new ProblemTimes(() => now);
  const since = () => times.all.map(({ problem: { object }, since: first }) => [object.name, first.getTime()]);
  times.renew("sync", Table.from([["a", [problem("a")]]]));
  now = 2_000;
  times.renew(
    "sync",
    Table.from([
      ["a", [problem("a")]],
      ["b", [problem("b")]],
    ]),
  );
  times.renew("files", Table.from([["a", [problem("a")]]]));
  expect(since().sort()).toEqual([
    ["a", 1_000],
    ["a", 2_000],
    ["b", 2_000],
  ]);
  now = 3_000;
  times.renew("sync", Table.from([["b", [problem("b", "is wrong otherwise")]]]));
  times.renew("files", Table.empty());
  expect(since()).toEqual([["b", 3_000]]);
  now = 4_000;
  times.renew("sync", Table.from([["a", [problem("a")]]]));
  expect(since()).toEqual([["a", 4_000]]);
});

test("the revision changes only when Problems change", () => {
  const times = new ProblemTimes(() => 0);
  const table = Table.from([["a", [problem("a")]]]);
  times.renew("sync", table);
  const { revision } = times;
  times.renew("sync", table);
  expect(times.revision).toBe(revision);
  times.renew("sync", Table.empty());
  expect(times.revision).not.toBe(revision);
});
