import { expect, test } from "vitest";
import type { ListenerReading } from "../reading.ts";
import { hostsBy } from "./attach.ts";

const listeners = Array.from({ length: 2_048 }, (_, at) => ({
  hostname: ["", "*.a.example", "b.example"][at % 3],
})) as ListenerReading[];

test("the hosts of a route are found once for all listeners of one hostname", () => {
  const hostnames = Array.from({ length: 1_024 }, (_, at) => `h${at}.a.example`);
  let asked = 0;
  const hostsAt = hostsBy(hostnames, () => {
    asked += 1;
    return true;
  });
  expect(listeners.map((one) => hostsAt(one).length).slice(0, 3)).toEqual([1_024, 1_024, 0]);
  expect(asked).toBe(2 * 1_024);
});
