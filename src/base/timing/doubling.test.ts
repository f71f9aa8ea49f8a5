import { expect, test } from "vitest";
import { doublingMs } from "./doubling.ts";

test("each failure doubles the wait, up to the ceiling", () => {
  const waits = [1, 2, 3, 4, 5, 2000].map((failures) => doublingMs(failures, { floorMs: 50, ceilingMs: 400 }));
  expect(waits).toEqual([50, 100, 200, 400, 400, 400]);
});
