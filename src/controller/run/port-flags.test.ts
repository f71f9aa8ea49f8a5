import { expect, test } from "vitest";
import { defaultFlags } from "../flags.ts";
import { withPortFlag } from "./port-flags.ts";

const flags = { ...defaultFlags("serve"), statusPort: 10_300 };
const taken = (address: string, flag = "") =>
  `nginx did not start: nginx cannot listen on ${address}${flag}: another program is using this address.`;

test.each([
  ["127.0.0.1:8181", "--default-server-port"],
  ["0.0.0.0:8080", "--http-port"],
  ["[::]:8443", "--https-port"],
  ["127.0.0.1:10300", "--status-port"],
])("the flag of %s is named", (address, flag) => {
  expect(withPortFlag(taken(address), flags)).toBe(taken(address, ` (${flag})`));
});

test("the sentence about a port that needs root also names its flag", () => {
  const why = "nginx did not start: nginx may not listen on 0.0.0.0:80: ports this low need root.";
  const words = why.replace("0.0.0.0:80:", "0.0.0.0:80 (--http-port):");
  expect(withPortFlag(why, defaultFlags("run"))).toBe(words);
});

test("the sentence about a port without a flag, and any other sentence, stay unchanged", () => {
  const other = "nginx did not start: it ended with code 1.";
  expect([taken("192.0.2.1:9000"), other].map((why) => withPortFlag(why, flags))).toEqual([
    taken("192.0.2.1:9000"),
    other,
  ]);
});
