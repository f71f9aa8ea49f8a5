import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { dependenciesPage } from "./dependencies.ts";

const page = readFileSync(new URL("../docs/dependencies.md", import.meta.url), "utf8");

/** Sizes of installed packages may differ a little from machine to machine. */
const withoutSizes = (text: string) => text.replace(/ \| \d* \|(?! [a-z`])/g, " | |").replace(/ \| \d+ \| /g, " | | ");

test("docs/dependencies.md has the pinned versions and the present sizes: `npm run dependencies`", async () => {
  const made = await dependenciesPage(page, async (name) => `the date of ${name} is not on the page`);
  expect(withoutSizes(made)).toBe(withoutSizes(page));
});

test("each dependency has a purpose, a licence and a date", () => {
  const [rows = ""] = page.split("## What these need themselves");
  expect(rows.match(/^\| [^-p].* \|$/gm)?.length).toBeGreaterThan(10);
  expect(rows).not.toMatch(/undefined|none stated/);
});
