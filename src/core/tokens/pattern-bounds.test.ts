import { expect, test } from "vitest";
import { Draws } from "../../../test/property/draws.ts";
import { mostTogether, Together, unboundable, weightOf } from "./pattern-bounds.ts";

test.each([
  ["/app(/|$)(.*)", 11],
  ["a{3}", 3],
  ["(ab{2}){4,10}", 40],
  ["[a-z0-9]{8}-[^]]{4}", 13],
  ["((a{9}){9}){9}", 819],
  ["(a\\){2})x", 5],
])("%s weighs %i", (pattern, weight) => expect(weightOf(pattern)).toBe(weight));

test.each([
  "a\\Qb",
  "a\\E",
  "\\X",
  "(a)\\1",
  "\\g{1}",
  "\\k<a>",
  "(?P=a)",
  "(?#x)",
  "(?x)a b",
  "(?ix:a)",
  "(*COMMIT)a",
  "a{2001}",
])("%s has no bound", (pattern) => expect(unboundable(pattern)).toBeDefined());

test.each(["/app(/|$)(.*)", "^/(?!api|static).*$", "(?i)/x", "[\\w-]{36}", "(?<name>[a-z]+)", "CN=.*\\.example"])(
  "%s has a bound",
  (pattern) => expect(unboundable(pattern)).toBeUndefined(),
);

test("patterns that may be compared with one path share the budget of steps", () => {
  const draw = new Draws(3);
  const beginnings = ["/", "/a", "/a/b", "/a/b/c", "/b", "/b/c", "/c"];
  for (let round = 0; round < 200; round++) {
    const together = new Together();
    const patterns = Array.from({ length: draw.below(60) }, () => `${draw.of(beginnings)}[x-z]${draw.below(9)}`);
    const added = patterns.filter((one) => {
      if (together.with(one) > mostTogether) return false;
      together.add(one);
      return true;
    });
    for (const path of beginnings) {
      const compared = added.filter((one) => path.startsWith(one.slice(0, one.indexOf("["))));
      expect(compared.length).toBeLessThanOrEqual(mostTogether);
      expect(compared.length * together.steps * (8_192 + 2_000)).toBeLessThanOrEqual(2 ** 26);
    }
  }
});
