import { expect, test } from "vitest";
import type { DraftRule } from "./rules.ts";
import { partName, partsOf } from "./split.ts";

const rule = (matches: number, name = "a"): DraftRule => ({
  matches: Array.from({ length: matches }, (_, at) => ({ path: { type: "Exact", value: `/${name}${at}` } })),
  filters: [],
  backendRefs: [],
  spec: {},
  comments: [],
  ingress: "shop/web",
});

test.each([
  ["16 rules are one route", Array.from({ length: 16 }, () => rule(1)), [[16, 16]]],
  [
    "the 17th begins another one",
    Array.from({ length: 17 }, () => rule(1)),
    [
      [16, 16],
      [1, 1],
    ],
  ], // prettier-ignore
  ["a rule has 64 matches", [rule(70)], [[2, 70]]],
  [
    "a route has 128 matches",
    [rule(64), rule(64), rule(1)],
    [
      [2, 128],
      [1, 1],
    ],
  ], // prettier-ignore
])("%s", (_, rules, sizes) => {
  const parts = partsOf(rules);
  expect(parts.map((part) => [part.length, part.reduce((sum, { matches }) => sum + matches.length, 0)])).toEqual(sizes);
  expect(parts.flat().flatMap(({ matches }) => matches)).toEqual(rules.flatMap(({ matches }) => matches));
  expect(Math.max(...parts.flat().map(({ matches }) => matches.length))).toBeLessThanOrEqual(64);
});

test("names of parts are in the order of the parts", () => {
  const names = Array.from({ length: 12 }, (_, at) => partName("web", at, 12));
  expect([names.toSorted(), names[0], partName("web", 0, 1)]).toEqual([names, "web-01", "web"]);
});
