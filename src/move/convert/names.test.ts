import { expect, test } from "vitest";
import { hostSlug, Names } from "./names.ts";

test("two objects that want one name get different names, and one object keeps its name", () => {
  const names = new Names();
  const [one, other] = [names.nameFor("HTTPRoute shop", "web", "a"), names.nameFor("HTTPRoute shop", "web", "b")];
  expect(one).toBe("web");
  expect(other).toMatch(/^web-[0-9a-f]{8}$/);
  expect(names.nameFor("HTTPRoute shop", "web", "a")).toBe(one);
  expect(names.nameFor("HTTPRoute other", "web", "b")).toBe("web");
  expect(names.shortened).toEqual([]);
});

test("a name that is too long keeps its beginning, and is listed as shortened", () => {
  const names = new Names();
  const long = "a".repeat(300);
  const [one, other] = [names.nameFor("HTTPRoute shop", long, "a"), names.nameFor("HTTPRoute shop", long, "b")];
  expect([one.length, other.length, one === other]).toEqual([253, 253, false]);
  expect(names.shortened).toEqual([`HTTPRoute shop/${one}`, `HTTPRoute shop/${other}`]);
});

test.each([
  ["shop.example.com", "shop-example-com"],
  ["*.example.com", "wildcard-example-com"],
  ["_", "all-hosts"],
])("the routes of host %s are named %s", (host, slug) => expect(hostSlug(host)).toBe(slug));
