import { expect, test } from "vitest";
import { unjudgedLines } from "./groups.ts";

test("files that are not judged for one reason share a line, and all are named on demand", () => {
  const template = (file: string) => ({ of: file, at: { file, line: 1, column: 1 }, why: "a template" });
  const ingress = { of: "Ingress shop/web", at: { file: "a", line: 2, column: 1 }, why: "a template" };
  const found = { unjudged: [...["a", "b", "c", "d"].map(template), ingress, { of: "values", why: "a template" }] };
  const objects = ["Ingress shop/web (a:2:1): a template", "values: a template"];
  expect(unjudgedLines(found, false)).toEqual(["4 files: a:1:1 b:1:1 c:1:1 and 1 more: a template", ...objects]);
  expect(unjudgedLines(found, true)).toEqual([
    ...["a", "b", "c", "d"].map((file) => `${file}:1:1: a template`),
    ...objects,
  ]);
});
