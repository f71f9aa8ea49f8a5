/**
 * What `sluice compat` says about clusters shaped like those of public projects, whole, as text and as JSON. Every finding in
 * these files was checked by hand against ingress-nginx's behaviour when it was written; a new one deserves the same.
 */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { differencesIn, readDifferences } from "../../src/cli/compat/differences.ts";
import { compat } from "../../src/cli/compat.ts";
import { ran } from "./support/ran.ts";

const root = fileURLToPath(new URL("compat", import.meta.url));
const projects = readdirSync(root);

test("ten projects and more are looked at", () => expect(projects.length).toBeGreaterThanOrEqual(10));

test.each(projects)("compat of %s", async (name) => {
  const file = (one: string) => join(root, name, one);
  const given = ["cluster.yaml", "values.yaml"].filter((one) => existsSync(file(one)));
  const argv = given.flatMap((one) => (one === "values.yaml" ? ["--values", file(one)] : [file(one)]));
  const text = await ran(compat, ...argv);
  const json = await ran(compat, ...argv, "-o", "json");
  await expect(text.text.replaceAll(`${root}/`, "")).toMatchFileSnapshot(file("report.txt"));
  await expect(json.text.replaceAll(`${root}/`, "")).toMatchFileSnapshot(file("report.json"));
  const { ingresses } = JSON.parse(json.text);
  const needsWork = text.text.includes("\nNeeds work\n");
  expect([text.code, json.code, text.failure]).toEqual([needsWork ? 1 : 0, needsWork ? 1 : 0, ""]);
  expect(ingresses.work === 0 || needsWork).toBe(true);
});

const { idleThere } = readDifferences();

test("a heading of docs/differences.md that does not say who meets it is a mistake", () => {
  expect(() => differencesIn("## Chapter\n\n### Something is new\n\nText.\n")).toThrow(/Something is new.*concerns/);
  const page = "## C\n\n### `a` is b\n\nx. Here it is\ngood. y\n\nconcerns: annotation a=1 without key b, everybody\n";
  const [difference] = differencesIn(page).list;
  expect(difference).toEqual({
    how: "a is b: here it is good",
    chapter: "C",
    concerns: [
      {
        about: { of: "annotation", name: "a", value: "1" },
        besides: [{ of: "key", name: "b", absent: true }],
      },
    ],
  });
  expect(idleThere.length).toBeGreaterThan(0);
});

test("who nobody can be is a mistake, too", () => {
  expect(() => differencesIn("## C\n\n### A\n\nx.\n\nconcerns: anotation a\n")).toThrow(
    'nobody can meet "anotation a"',
  );
});

test("mistakes in the command line are one sentence and exit code 2", async () => {
  expect(await ran(compat)).toMatchObject({ code: 2, failure: expect.stringContaining("here is none") });
  expect(await ran(compat, "--values", "/nowhere.yaml")).toMatchObject({
    code: 2,
    failure: expect.stringContaining("/nowhere.yaml cannot be read"),
  });
  expect(await ran(compat, join(root, "delivery"), "--controller=a/b")).toMatchObject({
    code: 2,
    failure: "sluice compat: no Deployment or DaemonSet a/b runs ingress-nginx",
  });
});
