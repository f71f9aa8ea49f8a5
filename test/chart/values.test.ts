/**
 * Compares the declarations of the chart's values with ingress-nginx's list, and with the files
 * that are generated from them.
 */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { flagShape } from "../../scripts/chart/flag-shape.ts";
import { neededFile } from "../../scripts/chart/needed.ts";
import {
  endingsFile,
  namesFile,
  pathsFile,
  switchesFile,
  valuesPage,
  withoutMeaning,
  wordsFile,
} from "../../scripts/chart/page.ts";
import { routeSettingsFile } from "../../scripts/chart/route-settings.ts";
import { schemaFile } from "../../scripts/chart/schema.ts";
import { chartValues } from "../../scripts/chart/values.ts";
import { valuesFile } from "../../scripts/chart/values-file.ts";
import { flagList } from "../../src/controller/flags.ts";
import { directives, meanings } from "../../src/core/kinds/vocabulary/places-of-words.ts";
import { annotationKeys } from "../../src/core/policies/read.ts";
import { endings } from "../../src/core/settings/read.ts";
import { settings } from "../../src/core/settings/registry.ts";
import { flagSamples } from "../support/samples.ts";

const root = join(import.meta.dirname, "../..");
const declared = new Map(chartValues.map((value) => [value.path, value]));
const theirs = readFileSync(join(import.meta.dirname, "ingress-nginx-values.tsv"), "utf8")
  .trim()
  .split("\n")
  .slice(1)
  .map((line) => line.split("\t") as [path: string, fallback: string]);

test("every value of ingress-nginx's chart is declared once", () => {
  expect(declared.size).toBe(chartValues.length);
  expect(theirs).toHaveLength(337);
  const fates = theirs.map(([path]) => declared.get(path)?.fate.kind ?? "missing");
  const count = (wanted: string) => fates.filter((fate) => fate === wanted).length;
  const table = ["same", "differs", "no-meaning", "missing"].map((fate) => `${fate} ${count(fate)}`).join(", ");
  console.log(`Values of ingress-nginx's chart: ${theirs.length}; ${table}`);
  expect(theirs.map(([path]) => path).filter((path) => !declared.has(path))).toEqual([]);
});

/** The list has some defaults in words, which the rendering tests compare. */
const inWords = /[ :]/;

const plain = theirs.filter(([path, fallback]) => !inWords.test(fallback) && declared.get(path)?.fate.kind === "same");

test.each(plain)("%s, which is declared to be the same, has ingress-nginx's default %s", (path, fallback) => {
  const ours = declared.get(path)!.fallback;
  const shown =
    ours === undefined
      ? "(unset)"
      : ours === ""
        ? "(empty)"
        : typeof ours === "object"
          ? plainJson(ours)
          : String(ours);
  expect(shown).toBe(fallback);
});

test("no difference of a value depends on a value that only Sluice has", () => {
  const notes = chartValues.flatMap(({ path, fate }) => (fate.kind === "differs" ? [[path, fate.how] as const] : []));
  expect(notes.filter(([, how]) => /[Ww]ith sluice\./.test(how))).toEqual([]);
});

const plainJson = (value: unknown) => JSON.stringify(value).replaceAll('"', "");

test.each(chartValues.filter(({ fate }) => fate.kind !== "no-meaning"))(
  "$path has a description of its effect",
  ({ does, fate }) => {
    expect(does).toMatch(/\.$/);
    if (fate.kind === "differs") expect(fate.how).toMatch(/\.$/);
  },
);

test.each([
  ["charts/sluice/values.yaml", valuesFile(chartValues)],
  ["charts/sluice/values.schema.json", schemaFile(chartValues)],
  ["charts/sluice/files/without-meaning.json", withoutMeaning(chartValues)],
  ["charts/sluice/files/values.json", pathsFile(chartValues)],
  ["charts/sluice/files/switches.json", switchesFile(chartValues)],
  ["charts/sluice/files/needed.json", neededFile()],
  ["charts/sluice/files/flags.json", namesFile(flagList.map(([, { name }]) => name))],
  ["charts/sluice/files/settings.json", namesFile(Object.values(settings).map(({ key }) => key))],
  ["charts/sluice/files/route-settings.yaml", routeSettingsFile()],
  ["charts/sluice/files/annotations.json", namesFile(annotationKeys)],
  ["charts/sluice/files/directives.json", wordsFile(directives)],
  ["charts/sluice/files/meanings.json", wordsFile(meanings)],
  ["charts/sluice/files/endings.json", endingsFile(endings)],
  ["docs/chart-values.md", valuesPage(chartValues)],
])("%s is generated from the declarations", async (file, text) => {
  await expect(text).toMatchFileSnapshot(join(root, file));
});

test.each(flagList.map(([, one]) => [one.name, one] as const))("the schema accepts every sample of --%s", (_, one) => {
  const shape = flagShape(one) as { pattern?: string; enum?: readonly unknown[] };
  const taken = (text: string) =>
    (shape.pattern === undefined || new RegExp(shape.pattern).test(text)) &&
    (shape.enum === undefined || shape.enum.includes(text.trim()));
  expect(flagSamples(one).good.filter((text) => !taken(text))).toEqual([]);
});
