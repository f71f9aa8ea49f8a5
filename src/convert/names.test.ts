import { expect, test } from "vitest";
import { hostSlug, Names } from "./names.ts";

test("two things that wish for one name get different ones, and one thing keeps its own", () => {
  const names = new Names();
  const [one, other] = [names.nameFor("HTTPRoute shop", "web", "a"), names.nameFor("HTTPRoute shop", "web", "b")];
  expect(one).toBe("web");
  expect(other).toMatch(/^web-[0-9a-f]{8}$/);
  expect(names.nameFor("HTTPRoute shop", "web", "a")).toBe(one);
  expect(names.nameFor("HTTPRoute other", "web", "b")).toBe("web");
  expect(names.shortened).toEqual([]);
});

test("a name that is too long keeps its beginning, and a note says so", () => {
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
])("host %s is called %s", (host, slug) => expect(hostSlug(host)).toBe(slug));
