import { expect, test } from "vitest";
import { choiceOf, type StaticCanary } from "./canaries.ts";

const canary = (header: string, binding: string): StaticCanary => ({
  policy: { header, headerValue: "", headerPattern: "", cookie: "", weight: 0, weightTotal: 100 },
  block: "shop_new_80_for_shop_web_80",
  label: "shop-new-80",
  binding,
});

test("two canaries of a rule may name one Service, although nginx refuses a map with a key twice", () => {
  const cookie = { name: "route", binding: "main" };
  const { http } = choiceOf("shop_web_80", [canary("X-One", "a"), canary("X-Two", "b")], cookie);
  for (const block of http.map(String)) {
    const keys = [...block.slice(block.indexOf("{")).matchAll(/(?:^\{|;) ?("[^"]*"|\S+) /g)].map(([, key]) => key);
    expect(new Set(keys).size, block).toBe(keys.length);
  }
});
