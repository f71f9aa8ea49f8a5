/**
 * Checks that long pages have an outline: a list of links to all of their sections, before the
 * first section.
 */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");
const longPage = 120;
const read = (page: string): string => readFileSync(join(root, page), "utf8");

/** Code may have lines that look like headings. */
const withoutCode = (page: string): string => read(page).replace(/^```[\s\S]*?^```/gm, "");
/** A page may have a second part with a title of its own, which the outline lists as one entry. */
const firstPart = (page: string): string => /^# [\s\S]*?(?=^# |(?![\s\S]))/m.exec(withoutCode(page))?.[0] ?? "";
const sectionsOf = (page: string): readonly string[] => firstPart(page).match(/^## .+$/gm) ?? [];

const pages = globSync(["*.md", "docs/**/*.md"], { cwd: root })
  .filter((page) => read(page).split("\n").length > longPage && sectionsOf(page).length > 3)
  .toSorted();

test.each(pages)("%s is long and has an outline of its sections", (page) => {
  const [start = ""] = withoutCode(page).split(/^## /m);
  const linked = [...start.matchAll(/\]\(#([\w-]+)\)/g)].map(([, anchor]) => anchor!);
  const wanted = sectionsOf(page).map((title) =>
    title
      .slice(3)
      .toLowerCase()
      .replace(/[^\w\- ]/g, "")
      .replaceAll(" ", "-"),
  );
  expect(linked).toEqual(expect.arrayContaining(wanted));
});
