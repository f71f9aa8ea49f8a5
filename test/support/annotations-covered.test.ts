/** Prints how many annotations a test through a real nginx uses. */
import { expect, test } from "vitest";
import { annotationKeys } from "../../src/annotations/read.ts";
import { coverageOf, usedByCorpus, usedInNginxTests } from "./coverage.ts";

test("the annotations with a behaviour test are counted", () => {
  const inNginx = usedInNginxTests((file) => !file.startsWith("settings-"));
  const used = new Set([...usedByCorpus().annotations, ...inNginx]);
  const { line, tested } = coverageOf("annotations", annotationKeys, used);
  process.stdout.write(`\n${line}\n`);
  expect(tested).not.toEqual([]);
});
