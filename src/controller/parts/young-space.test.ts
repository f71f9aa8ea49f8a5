import { expect, test } from "vitest";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import { keepYoungSpaceSmall } from "./young-space.ts";

test("the space for young objects grows while a large start lasts, and not before or after", async () => {
  const clock = new FakeClock();
  const flags = new Set<string>();
  const heap = { megabytes: 30 };
  let isReady = false;
  keepYoungSpaceSmall(clock, () => isReady, {
    heapBytes: () => heap.megabytes * 1024 * 1024,
    set: (flag) => flags.add(flag),
  });
  const small = ["--semi-space-growth-factor=1", "--no-parallel-scavenge"];
  expect([...flags]).toEqual(small);
  flags.clear();
  await clock.advance(1_000);
  expect([...flags]).toEqual([]);
  heap.megabytes = 200;
  await clock.advance(100);
  expect([...flags]).toEqual(["--semi-space-growth-factor=2", "--parallel-scavenge"]);
  flags.clear();
  isReady = true;
  await clock.advance(1_000);
  expect([...flags]).toEqual(small);
});

test("a large heap after the start changes nothing", async () => {
  const clock = new FakeClock();
  const flags: string[] = [];
  const set = (flag: string) => void flags.push(flag);
  keepYoungSpaceSmall(clock, () => true, { heapBytes: () => 2 ** 30, set });
  flags.length = 0;
  await clock.advance(1_000);
  expect(flags).toEqual([]);
});
