import { expect, test } from "vitest";
import { patternOf, sharingTime } from "./pattern.ts";

test("a pattern that would run without end leaves the decision to nginx", () => {
  const letters = (count: number) => "a".repeat(count);
  const nested = patternOf("^(a+)+$")!;
  expect(nested.test(`${letters(60)}!`)).toBeUndefined();
  expect(nested.exec(`${letters(60)}!`)).toBeUndefined();
  expect(patternOf("^(.*)(.*)(.*)(.*)(.*)x$")!.test(letters(4_000))).toBeUndefined();
});

test("other patterns give the same result with and without the time limit", () => {
  expect([...patternOf("^/api(/|$)(.*)")!.exec("/API/users")!]).toEqual(["/API/users", "/", "users"]);
  expect([...patternOf("^/(?P<team>[a-z]+)/([0-9]+)/(.*)$")!.exec(`/shop/17/${"x".repeat(30)}`)!]).toEqual([
    `/shop/17/${"x".repeat(30)}`,
    ...["shop", "17", "x".repeat(30)],
  ]);
  expect(patternOf("^(?:/a)+$")!.exec("/a/a/b")).toBeNull();
  expect(patternOf("^(?:/a)+$")!.test("/a/a")).toBe(true);
  expect(patternOf("^(a")).toBeUndefined();
});

test("patterns share the time limit of the request that they belong to", () => {
  const slow = patternOf("^(a+)+$")!;
  const tries = Array.from({ length: 500 }, (_, at) => `${"a".repeat(40)}${at}!`);
  const begun = performance.now();
  const found = sharingTime(100, () => [...tries.map((text) => slow.test(text)), patternOf("^/a")!.test("/ab")]);
  // Alone, each of these patterns takes a second.
  expect(performance.now() - begun).toBeLessThan(30_000);
  expect(new Set(found.slice(0, -1))).toEqual(new Set([undefined]));
  expect(found.at(-1)).toBe(true);
  expect(patternOf("^(?:/a)+$")!.test("/a/a")).toBe(true);
});
