/**
 * Checks that some test through a real nginx uses each annotation, and prints the number of
 * annotations.
 */
import { expect, test } from "vitest";
import { annotationKeys } from "../../src/core/policies/read.ts";
import { coverageOf, usedByCorpus, usedInNginxTests } from "./coverage.ts";

test("every annotation has a behaviour test", () => {
  const inNginx = usedInNginxTests((file) => !file.startsWith("settings-"));
  const used = new Set([...usedByCorpus().annotations, ...inNginx]);
  const { line, untested } = coverageOf("annotations", annotationKeys, used);
  process.stdout.write(`\n${line}\n`);
  expect(untested).toEqual([]);
});
