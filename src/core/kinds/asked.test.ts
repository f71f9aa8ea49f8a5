import { expect, test } from "vitest";
import { type AskedPolicy, forOperator, literalIn, strictPolicy, whyNotAsked, whyNotHost } from "./asked.ts";

const policy: AskedPolicy = {
  ...strictPolicy,
  loopbackPorts: new Set([4180, 10_254]),
  ownPorts: new Set([10_254, 10_246]),
  ownAddresses: new Set(["192.0.2.7", "2001:db8::7"]),
};

test.each([
  ...["0.0.0.0", "0.1.2.3", "127.0.0.1", "127.255.0.9", "169.254.169.254", "224.0.0.1", "239.1.1.1", "255.255.255.255"],
  ...["100.100.100.200", "168.63.129.16", "192.0.0.192", "::", "::1", "fe80::1", "febf::1", "ff02::1", "fd00:ec2::254"],
  ...["::ffff:127.0.0.1", "::ffff:7f00:1", "0:0:0:0:0:ffff:a9fe:a9fe", "::127.0.0.1", "::ffff:0:127.0.0.1"],
  ...["64:ff9b::127.0.0.1", "64:ff9b:1:7f00:0:100::", "64:ff9b:1::127.0.0.1", "2002:7f00:1::", "2002:a9fe:a9fe::1"],
  ...["fe80::1%eth0", "nowhere", ""],
])("the address %s is refused", (address) => {
  expect(whyNotAsked(address, 80, policy)).toEqual(expect.any(String));
});

test.each([
  ...["192.0.2.20", "10.0.0.1", "128.0.0.1", "126.255.255.255", "169.253.0.1", "223.255.255.255", "240.0.0.1"],
  ...[
    "100.100.100.201",
    "2001:db8::1",
    "fd00::1",
    "fec0::1",
    "64:ff9b::192.0.2.1",
    "2002:c000:201::",
    "::ffff:192.0.2.1",
  ],
])("the address %s is allowed", (address) => {
  expect(whyNotAsked(address, 80, policy)).toBeUndefined();
});

test.each([
  ...["127.1", "127.0.1", "2130706433", "0x7f.1", "0x7f000001", "0177.0.0.1", "017700000001", "127.0.0.1.", "127.1.."],
  ...["[::1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "0", "0x0", "0xa9fea9fe", "2852039166", "169.254.43518"],
  ...["localhost", "LOCALHOST.", "a.localhost", "localhost.localdomain", "ip6-localhost", "unix", "upstream_balancer"],
  ...["1.2.3.4.5", "256.256.256.256", "0x7f.0.0.0.1", "99999999999"],
])("the host %s is refused", (host) => {
  expect(whyNotHost(host, 80, policy)).toEqual(expect.any(String));
});

test.each([
  "auth.example",
  "auth.example.",
  "AUTH",
  "a_b.example",
  "0x7f.example",
  "192.0.2.20",
  "[2001:db8::1]",
  "3221226004",
])("the host %s is allowed", (host) => {
  expect(whyNotHost(host, 80, policy)).toBeUndefined();
});

test("a port of Sluice's own is refused on each address of this machine, whatever other ports are allowed", () => {
  for (const one of [policy, { ...policy, loopback: true }, forOperator(policy)]) {
    for (const address of ["127.0.0.1", "::1", "192.0.2.7", "2001:db8::7", "::ffff:192.0.2.7", "64:ff9b::192.0.2.7"])
      expect(whyNotAsked(address, 10_254, one), address).toMatch(/port 10254 is Sluice's own$/);
  }
  expect(whyNotAsked("192.0.2.7", 80, policy)).toBeUndefined();
  expect(whyNotAsked("192.0.2.8", 10_254, policy)).toBeUndefined();
});

test("users reach this machine on the allowed ports only, and the operator on each port", () => {
  expect(whyNotAsked("127.0.0.1", 4180, policy)).toBeUndefined();
  expect(whyNotHost("localhost", 4180, policy)).toBeUndefined();
  expect(whyNotAsked("::1", 4181, policy)).toMatch(/--allowed-loopback-ports/);
  expect(whyNotAsked("127.0.0.1", 4181, forOperator(policy))).toBeUndefined();
  expect(whyNotAsked("169.254.169.254", 80, forOperator(policy))).toBe("169.254.169.254 is a link-local address");
  expect(whyNotAsked("0.0.0.0", 4180, { ...policy, loopback: true })).toBe("0.0.0.0 is this machine itself");
});

test("an address is recognised in each spelling of resolvers", () => {
  expect(literalIn("127.1")).toBe("127.0.0.1");
  expect(literalIn("[::FFFF:1.2.3.4]")).toBe("::ffff:102:304");
  expect(literalIn("a.example")).toBeUndefined();
});
