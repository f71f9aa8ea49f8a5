import { expect, test } from "vitest";
import { addressOfBytes, bytesOfAddress, canonical } from "./ip-address.ts";

test("each address has one canonical spelling, without a zone", () => {
  expect(canonical("2001:DB8:0:0::7")).toBe("2001:db8::7");
  expect(canonical("fe80:0::1%eth0")).toBe("fe80::1");
  expect(canonical("192.0.2.1")).toBe("192.0.2.1");
  expect(canonical("nowhere")).toBe("nowhere");
});

test.each([
  ["192.0.2.1", "c0000201"],
  ["::", "00000000000000000000000000000000"],
  ["::1", "00000000000000000000000000000001"],
  ["2001:db8::", "20010db8000000000000000000000000"],
  ["::ffff:1.2.3.4", "00000000000000000000ffff01020304"],
  ["1:2:3:4:5:6:7:8", "00010002000300040005000600070008"],
])("%s has the bytes %s, and they have its canonical spelling", (address, hex) => {
  const bytes = bytesOfAddress(address)!;
  expect(Buffer.from(bytes).toString("hex")).toBe(hex);
  expect(addressOfBytes(bytes)).toBe(canonical(address));
});

test.each(["", "nowhere", "192.0.2", "fe80::1%eth0"])("%j has no bytes", (text) => {
  expect(bytesOfAddress(text)).toBeUndefined();
});
