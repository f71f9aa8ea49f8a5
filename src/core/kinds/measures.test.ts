import { expect, test } from "vitest";
import { sizesBeside } from "./measures.ts";

test.each([
  ["8k", ["4k", "16k"]],
  ["4k", ["8k"]],
  ["64m", ["32m"]],
  ["5m", ["10m"]],
  ["0", []],
])("the sizes next to %s are %j", (size, beside) => {
  expect(sizesBeside(size, { min: "4k", max: "64m" })).toEqual(beside);
});
