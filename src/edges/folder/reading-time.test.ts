/**
 * No text of a folder makes its reader slow, whatever it repeats. With quadratic time, each of
 * these texts took 30 s. Processor time is measured, so other programs do not count.
 */
import { expect, test } from "vitest";
import { readManifest } from "./manifest.ts";

const length = 300_000;
const repeated = (unit: string) => unit.repeat(length / unit.length);
const numbered = (unit: (at: number) => string, each: number) =>
  Array.from({ length: length / each }, (_, at) => unit(at)).join("");

const texts: Readonly<Record<string, string>> = {
  "merge keys": repeated("<<: *a\n"),
  "keys of one mapping beside an anchor": `x: &a 1\n${numbered((at) => `k${at}:\n`, 8)}`,
  "one key again and again": repeated("a:\n"),
  "aliases of one anchor": `x: &a 1\n${numbered((at) => `k${at}: *a\n`, 12)}`,
  anchors: numbered((at) => `- &k${at} a\n`, 12),
  tags: repeated("- !!str a\n"),
  "lists in lists": repeated("- "),
  "braces of templates": repeated("{{ a }}\n"),
  quotes: repeated('"'),
  documents: repeated("---\na: 1\n"),
};

test.each(Object.entries(texts))("a file full of %s is read in seconds", (_what, text) => {
  const before = process.cpuUsage();
  readManifest(text);
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1_000_000, "seconds of processor time").toBeLessThan(8);
});
