/**
 * Compares complete results: a case is a folder with `cluster.yaml`, the nginx.conf of both modes,
 * the records and the Problems that Sluice makes of it. `npm test golden -- --update` rewrites
 * changed files, so a reviewer reads nginx in the diff. Each nginx.conf also has to pass `nginx
 * -t`, so that no golden file has text that nginx refuses.
 */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import type { KubernetesObject } from "../../src/core/model/objects.ts";
import { named, sentence } from "../../src/core/model/problem.ts";
import { Studio } from "./support/studio.ts";

const cases = new URL("cases/", import.meta.url);
const names = readdirSync(cases);
let studio: Studio;

beforeAll(async () => {
  studio = await Studio.open();
});
afterAll(() => studio.close());

function translated(name: string) {
  const text = readFileSync(new URL(`${name}/cluster.yaml`, cases), "utf8");
  return studio.translated(parseAllDocuments(text).map((document) => document.toJS() as KubernetesObject));
}

test("a change of the Lua code changes the generation, so that a running nginx is reloaded", () => {
  const limits = translated("limits");
  const { text } = studio.dynamic(limits, "new");
  expect(text.generation).not.toBe(studio.dynamic(limits, "old").text.generation);
  expect(studio.static(limits, "new").generation).toBe(studio.static(limits, "old").generation);
});

test.each(names)("the text and the records of %s in dynamic mode are those of the golden files", async (name) => {
  const { text, records } = studio.dynamic(translated(name));
  await expect(studio.neutral(text)).toMatchFileSnapshot(pathOf(name, "nginx.conf"));
  await expect(records).toMatchFileSnapshot(pathOf(name, "records.txt"));
  expect(await studio.refusal(text)).toBe("");
});

test.each(names)("the text of %s in static mode is that of the golden file", async (name) => {
  const text = studio.static(translated(name));
  await expect(studio.neutral(text)).toMatchFileSnapshot(pathOf(name, "static.nginx.conf"));
  expect(await studio.refusal(text)).toBe("");
});

test.each(names)("the Problems of %s are those of the golden file", async (name) => {
  const sentences = [...translated(name).problems.values()]
    .flat()
    .map((one) => `${named(one.object)}: ${sentence(one)}\n`);
  await expect(sentences.sort().join("")).toMatchFileSnapshot(pathOf(name, "problems.txt"));
});

function pathOf(name: string, file: string): string {
  return fileURLToPath(new URL(`${name}/${file}`, cases));
}
