/** The output of `sluice convert`, whole, beside the Ingresses that it is about. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { check } from "../../src/cli/check.ts";
import { convert } from "../../src/cli/convert.ts";
import { ran } from "./support/ran.ts";

const root = fileURLToPath(new URL("convert", import.meta.url));

test.each(readdirSync(root))("convert of %s", async (name) => {
  const file = (one: string) => join(root, name, one);
  const printed = await ran(convert, file("cluster.yaml"));
  await expect(printed.text).toMatchFileSnapshot(file("gateway.yaml"));
  const folder = mkdtempSync(join(tmpdir(), "convert-"));
  try {
    const written = await ran(convert, file("cluster.yaml"), "--to", folder);
    await expect(written.text.replaceAll(`${root}/`, "")).toMatchFileSnapshot(file("report.txt"));
    expect([printed.code, written.failure]).toEqual([written.code, ""]);
    const objects = (text: string) => text.split("---\n").sort();
    const files = readdirSync(folder).map((one) => readFileSync(join(folder, one), "utf8"));
    expect(files.flatMap(objects).sort()).toEqual(objects(printed.text));
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("what is written has no mistake that the API server or Sluice would find", async () => {
  const { text } = await ran(check, join(root, "shop", "gateway.yaml"), "-o", "json");
  const sentences = JSON.parse(text).problems.map((one: { readonly sentence: string }) => one.sentence);
  // The Secrets of the listeners are in the cluster.
  expect(sentences.filter((one: string) => !/Secret \S+ not found/.test(one))).toEqual([]);
});

test.each([
  [["--gateway", "shop"], '--gateway takes NAMESPACE/NAME, and here is "shop"'],
  [["--gateway-clas", "x"], "--gateway-clas is not a flag"],
])("%j is a mistake in the command line", async (words, why) => {
  const { code, failure } = await ran(convert, join(root, "shop", "cluster.yaml"), ...words);
  expect([code, failure]).toEqual([2, expect.stringContaining(why)]);
});

test("with --shadow each route begins in shadow, and nothing else does", async () => {
  const { text } = await ran(convert, join(root, "shop", "cluster.yaml"), "--shadow");
  const objects = text.split("---\n").filter((one) => /^kind: /m.test(one));
  const inShadow = (one: string) => one.includes('sluice.dev/shadow: "true"');
  expect(objects.map(inShadow)).toEqual(objects.map((one) => /^kind: \w+Route$/m.test(one)));
  expect(objects.some(inShadow)).toBe(true);
});

test("a difference that is accepted does not count", async () => {
  const wildcards = join(root, "differences", "cluster.yaml");
  const codes = await Promise.all(
    [[], ["--accept", "wildcard-depth"], ["--accept", "wildcard-depth,redirect-slash,fake-certificate"]].map(
      async (words) => (await ran(convert, wildcards, ...words)).code,
    ),
  );
  expect(codes).toEqual([1, 1, 0]);
});
