import fc from "fast-check";
import { expect, test } from "vitest";
import { Bisection } from "./bisection.ts";
import type { Suspect } from "./suspects.ts";

/**
 * Stands in for an nginx that refuses every text with one of the `guilty` suspects. Returns the
 * number of tries.
 */
function play(search: Bisection, all: readonly Suspect[], guilty: ReadonlySet<Suspect>): number {
  const asked = () => all.some((one) => guilty.has(one) && !search.setAside.has(one));
  let tries = 0;
  for (;;) {
    tries++;
    if (asked() ? !search.refused("no") : !search.accepted()) return tries;
  }
}

test("the suspects that nginx refuses are set aside in the end, and no others", () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(
        fc.string().map((key): Suspect => `setting ${key}`),
        { minLength: 1, maxLength: 40 },
      ),
      fc.nat(),
      fc.nat(),
      (all, first, second) => {
        const guilty = new Set([all[first % all.length]!, all[second % all.length]!]);
        const search = new Bisection("");
        search.suspect(all, "refused");
        play(search, all, guilty);
        expect(search.setAside).toEqual(guilty);
      },
    ),
  );
});

test("one faulty suspect among a thousand is found in few tries, and the rest is live after the first", () => {
  const all = Array.from({ length: 1000 }, (_, at): Suspect => `Ingress ns/${at}`);
  const search = new Bisection("");
  search.suspect(all, "refused");
  expect(search.setAside.size).toBe(1000);
  expect(play(search, all, new Set(["Ingress ns/777"]))).toBeLessThan(60);
});

test("a single suspect is not restored for a test", () => {
  const search = new Bisection("");
  search.suspect(["setting http-snippet"], "refused");
  expect(search.accepted()).toBe(false);
  expect([...search.setAside]).toEqual(["setting http-snippet"]);
});

test("the owners of the refused line are set aside at once", () => {
  const search = new Bisection("");
  search.accuse(["Ingress ns/a"], "unknown directive");
  expect([...search.setAside]).toEqual(["Ingress ns/a"]);
  expect(search.accepted()).toBe(false);
});

test("suspects are cleared where the same error occurs without them", () => {
  const search = new Bisection("");
  search.accuse(["Ingress ns/a"], "unknown directive x");
  expect(search.accusedInVain("unknown directive y")).toBe(false);
  expect([...search.setAside]).toEqual(["Ingress ns/a"]);
  expect(search.accusedInVain("unknown directive x")).toBe(true);
  expect([...search.setAside]).toEqual([]);
});
