import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { OneAtATime } from "./one-at-a-time.ts";

test("work begins in the order of its calls, after the previous work has ended in any way", async () => {
  const seen: string[] = [];
  const one = (name: string) => async () => {
    seen.push(`${name} begins`);
    await setImmediate();
    seen.push(`${name} ends`);
    if (name === "a") throw new Error(name);
    return name;
  };
  const order = new OneAtATime();
  const all = await Promise.allSettled([order.run(one("a")), order.run(one("b")), order.run(() => "c")]);
  expect(seen).toEqual(["a begins", "a ends", "b begins", "b ends"]);
  expect(all.map(({ status }) => status)).toEqual(["rejected", "fulfilled", "fulfilled"]);
});
