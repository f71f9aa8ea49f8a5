import { expect, test } from "vitest";
import { InternalNames } from "./internal-names.ts";

test("a name depends on the key and the text, and equal ones give equal names", () => {
  const [one, same, other] = ["k1", "k1", "k2"].map((key) => new InternalNames(key));
  expect(one!.of("text")).toBe(same!.of("text"));
  expect(one!.of("text")).not.toBe(other!.of("text"));
  expect(one!.of("text")).not.toBe(one!.of("text 2"));
  expect(String(one!.fixed("status"))).toMatch(/^@sluice_status_[\da-f]{16}$/);
  expect(String(one!.fixed("status"))).not.toBe(String(other!.fixed("status")));
});

test("without a key names are readable", () => {
  expect(String(new InternalNames("").fixed("status"))).toBe("@sluice_status");
});
