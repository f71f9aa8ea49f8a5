import fc from "fast-check";
import { expect, test } from "vitest";
import { Hunt } from "./bisection.ts";

/** Plays nginx: refuses whatever holds one of the guilty. Gives how often it was asked. */
function play(hunt: Hunt, all: readonly string[], guilty: ReadonlySet<string>): number {
  const asked = () => all.some((one) => guilty.has(one) && !hunt.setAside.has(one));
  let tries = 0;
  for (;;) {
    tries++;
    if (asked() ? !hunt.refused("no") : !hunt.accepted()) return tries;
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
        const hunt = new Hunt("");
        hunt.suspect(all);
        play(hunt, all, guilty);
        expect(hunt.setAside).toEqual(guilty);
      },
    ),
  );
});

test("one guilty among a thousand is found with few tries, and the rest is live after the first", () => {
  const all = Array.from({ length: 1000 }, (_, at) => `ingress ns/${at}`);
  const hunt = new Hunt("");
  hunt.suspect(all);
  expect(hunt.setAside.size).toBe(1000);
  expect(play(hunt, all, new Set(["ingress ns/777"]))).toBeLessThan(60);
});

test("a lone suspect is not given back for a trial", () => {
  const hunt = new Hunt("");
  hunt.suspect(["setting http-snippet"]);
  expect(hunt.accepted()).toBe(false);
  expect([...hunt.setAside]).toEqual(["setting http-snippet"]);
});

test("those whom the line names are set aside at once", () => {
  const hunt = new Hunt("");
  hunt.accuse(["ingress ns/a"], "unknown directive");
  expect([...hunt.setAside]).toEqual(["ingress ns/a"]);
  expect(hunt.accepted()).toBe(false);
});

test("where the words stay the same without the accused, it was not they", () => {
  const hunt = new Hunt("");
  hunt.accuse(["ingress ns/a"], "unknown directive x");
  expect(hunt.accusedInVain("unknown directive y")).toBe(false);
  expect([...hunt.setAside]).toEqual(["ingress ns/a"]);
  expect(hunt.accusedInVain("unknown directive x")).toBe(true);
  expect([...hunt.setAside]).toEqual([]);
});
