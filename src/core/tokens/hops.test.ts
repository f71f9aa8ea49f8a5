import { expect, test } from "vitest";
import { comeBack, hopsIn, hopsOfEach, mostHops } from "./hops.ts";

/** The most auth requests of one Location, and its most mirrors by filters. */
const [mostAuth, mostMirrors] = [2, 32];

/**
 * Returns the most requests that Sluice sends because of one request that arrives with these hops.
 * Each backend leads back to Sluice, to the worst Location. The copies of an annotation have no
 * X-Forwarded-For, so Sluice does not count their arrival.
 */
function worst(hops: number, isCounted: boolean, known = new Map<string, number>()): number {
  const key = `${hops} ${isCounted}`;
  const before = known.get(key);
  if (before !== undefined) return before;
  if (isCounted && hops > mostHops) return 0;
  const next = hops + (isCounted ? 1 : 0);
  const returned = 1 + worst(Math.max(next, 1), true, known);
  let most = returned;
  for (const auth of Array(mostAuth + 1).keys())
    for (const annotated of [0, 1])
      for (const filtered of Array(mostMirrors + 1).keys()) {
        const own = hopsOfEach(auth + annotated + filtered);
        if (own > 0 && hops > Math.max(mostHops - own, 1)) continue;
        const counted = (auth + filtered) * (own === 0 ? 0 : 1 + worst(next + own, true, known));
        most = Math.max(most, returned + counted + annotated * (own === 0 ? 0 : 1 + worst(next + own, false, known)));
      }
  known.set(key, most);
  return most;
}

// The table of bounds in docs/security.md has this number.
test("one request of a client causes at most 156 requests", () => {
  expect(worst(0, false)).toBe(156);
});

test.each([
  { others: 1, hops: 1 },
  { others: 2, hops: 2 },
  { others: 3, hops: 2 },
  { others: 15, hops: 4 },
  { others: 16, hops: 5 },
])("each of $others further requests counts as $hops hops", ({ others, hops }) => {
  expect(hopsOfEach(others)).toBe(hops);
});

test.each([
  { hop: "a1", trail: ",b,c,d,e", refused: false },
  { hop: "a1", trail: ",b,c,d,e,f", refused: true },
  { hop: "a1", trail: ",b---", refused: false },
  { hop: "a1", trail: ",b----", refused: true },
  { hop: "a1", trail: ",b,a1", refused: true },
  { hop: ",,,a1", trail: "-", refused: false },
  { hop: ",,,a1", trail: "--", refused: true },
])("without Lua a Location with the hop $hop refuses $trail: $refused", ({ hop, trail, refused }) => {
  const pattern = JSON.parse(String(comeBack(hop))) as string;
  expect(new RegExp(pattern).test(trail)).toBe(refused);
  expect(hopsIn(trail)).toBeGreaterThan(0);
});
