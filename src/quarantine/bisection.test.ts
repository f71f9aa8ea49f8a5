import fc from "fast-check";
import { expect, test } from "vitest";
import { Bisection } from "./bisection.ts";

/** Plays nginx: refuses whatever holds one of the guilty. Gives how often it was asked. */
function play(search: Bisection, all: readonly string[], guilty: ReadonlySet<string>): number {
  const asked = () => all.some((one) => guilty.has(one) && !search.setAside.has(one));
  let tries = 0;
  for (;;) {
    tries++;
    if (asked() ? !search.refused("no") : !search.accepted()) return tries;
  }
}

test("whoever is guilty is set aside in the end, and nobody else", () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.string(), { minLength: 1, maxLength: 40 }),
      fc.nat(),
      fc.nat(),
      (all, first, second) => {
        const guilty = new Set([all[first % all.length]!, all[second % all.length]!]);
        const search = new Bisection("");
        search.suspect(all);
        play(search, all, guilty);
        expect(search.setAside).toEqual(guilty);
      },
    ),
  );
});

test("one guilty among a thousand is found with few tries, and the rest is live after the first", () => {
  const all = Array.from({ length: 1000 }, (_, at) => `ingress ns/${at}`);
  const search = new Bisection("");
  search.suspect(all);
  expect(search.setAside.size).toBe(1000);
  expect(play(search, all, new Set(["ingress ns/777"]))).toBeLessThan(60);
});

test("a lone suspect is not given back for a trial", () => {
  const search = new Bisection("");
  search.suspect(["setting http-snippet"]);
  expect(search.accepted()).toBe(false);
  expect([...search.setAside]).toEqual(["setting http-snippet"]);
});

test("those whom the line names are set aside at once", () => {
  const search = new Bisection("");
  search.accuse(["ingress ns/a"], "unknown directive");
  expect([...search.setAside]).toEqual(["ingress ns/a"]);
  expect(search.accepted()).toBe(false);
});

test("where the words stay the same without the accused, it was not they", () => {
  const search = new Bisection("");
  search.accuse(["ingress ns/a"], "unknown directive x");
  expect(search.accusedInVain("unknown directive y")).toBe(false);
  expect([...search.setAside]).toEqual(["ingress ns/a"]);
  expect(search.accusedInVain("unknown directive x")).toBe(true);
  expect([...search.setAside]).toEqual([]);
});
