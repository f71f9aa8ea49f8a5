import { expect, test } from "vitest";
import { patternOf } from "./pattern.ts";

test("a pattern that would take for ever leaves the decision to nginx", () => {
  const letters = (count: number) => "a".repeat(count);
  const nested = patternOf("^(a+)+$")!;
  expect(nested.test(`${letters(60)}!`)).toBeUndefined();
  expect(nested.exec(`${letters(60)}!`)).toBeUndefined();
  expect(patternOf("^(.*)(.*)(.*)(.*)(.*)x$")!.test(letters(4_000))).toBeUndefined();
});

test("other patterns find what they found, with and without the limit", () => {
  expect([...patternOf("^/api(/|$)(.*)")!.exec("/API/users")!]).toEqual(["/API/users", "/", "users"]);
  expect([...patternOf("^/(?P<team>[a-z]+)/([0-9]+)/(.*)$")!.exec(`/shop/17/${"x".repeat(30)}`)!]).toEqual([
    `/shop/17/${"x".repeat(30)}`,
    ...["shop", "17", "x".repeat(30)],
  ]);
  expect(patternOf("^(?:/a)+$")!.exec("/a/a/b")).toBeNull();
  expect(patternOf("^(?:/a)+$")!.test("/a/a")).toBe(true);
  expect(patternOf("^(a")).toBeUndefined();
});
