import { expect, test } from "vitest";
import { inBoth } from "./address-ranges.ts";

test.each<[string, readonly string[], readonly string[], readonly string[]]>([
  ["the narrower range counts", ["10.0.0.0/8"], ["10.1.0.0/16", "192.0.2.1"], ["10.1.0.0/16"]],
  ["in either order", ["10.1.2.3", "172.16.0.0/12"], ["10.0.0.0/8"], ["10.1.2.3"]],
  ["ranges that are apart have nothing in common", ["10.0.0.0/9"], ["10.128.0.0/9"], []],
  ["bits behind the length do not count", ["10.1.2.3/8"], ["10.9.9.9"], ["10.9.9.9"]],
  ["families never meet", ["0.0.0.0/0"], ["::/0"], []],
  ["all of IPv6 has what is in it", ["::/0"], ["2001:db8::/32"], ["2001:db8::/32"]],
  ["forms of one address are equal", ["2001:db8:0::1"], ["2001:db8::/64", "2001:db8::1:0:0:1"], ["2001:db8:0::1"]],
])("%s", (_, one, other, common) => {
  expect(inBoth(one, other)).toEqual(common);
});
