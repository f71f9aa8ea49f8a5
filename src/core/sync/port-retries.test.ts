import { expect, test } from "vitest";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import { PortRetries } from "./port-retries.ts";

function retries(refused: string[]) {
  const used = new Set<string>();
  const allowed: string[] = [];
  let turns = 0;
  const keeper = { refusedPorts: refused, allowPorts: (names: readonly string[]) => void allowed.push(...names) };
  const parts = { nginx: { portsInUse: async () => used }, clock: new FakeClock() };
  const one = new PortRetries(parts, keeper, () => {
    turns += 1;
  });
  return { look: () => one.look(), used, allowed, turns: () => turns };
}

test("a refused port is tried again each time that it is free after it was in use", async () => {
  const { look, used, allowed, turns } = retries(["tcp/5432"]);
  used.add("tcp/5432");
  await look();
  await look();
  expect([allowed, turns()]).toEqual([[], 0]);
  used.clear();
  await look();
  expect([allowed, turns()]).toEqual([["tcp/5432"], 1]);
  used.add("tcp/5432");
  await look();
  used.clear();
  await look();
  expect(turns()).toBe(2);
});

test("a refused port that was never seen in use is tried once more only", async () => {
  const { look, used, allowed } = retries(["udp/53", "tcp/53"]);
  used.add("tcp/53");
  await look();
  await look();
  await look();
  expect(allowed).toEqual(["udp/53"]);
});
