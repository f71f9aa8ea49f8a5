/** docs/security.md lists every tried hole, with the sentences that users get. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { disguises, guards, neighbours } from "../requests/disguises.ts";
import { framings } from "../requests/framings.ts";
import { places } from "../requests/places.ts";
import { attacks } from "./rows.ts";

const page = readFileSync(join(import.meta.dirname, "../../../docs/security.md"), "utf8").replaceAll("\\|", "|");
const rows = page.split("\n").filter((line) => /^\| [A-Z][\w -]*\d/.test(line));
const tests = ["cve", "requests"].flatMap((folder) => {
  const path = join(import.meta.dirname, "..", folder);
  return readdirSync(path).map((file) => readFileSync(join(path, file), "utf8"));
});

test.each(rows.map((row) => row.split(" | ")[0]!.replace(/^\| | \(.*| .*\bCVE.*|,.*/g, "")))(
  "the hole %s has a test of its own",
  (id) => {
    expect(tests.some((text) => text.includes(id))).toBe(true);
  },
);

test("every hole in the table of attacks is on the page", () => {
  for (const id of new Set(attacks.map((one) => one.id))) {
    if (id !== "the mark of the generation") expect(page).toContain(`| ${id}`);
  }
});

test("the sentences on the page are those that users get", () => {
  const headings = attacks.flatMap(({ says }) => says);
  const quoted = rows.flatMap((row) => [...row.matchAll(/`(annotation [^`]*|spec\.[^`]*)`/g)].map(([, text]) => text!));
  const elsewhere = /Secret ns\/users not found/;
  expect(quoted.length).toBeGreaterThan(12);
  for (const text of quoted) if (!elsewhere.test(text)) expect(headings).toContain(text);
});

test("the figures on the page are the lengths of the lists in the tests", () => {
  const pairs = Object.keys(guards).length * Object.keys(neighbours).length;
  const figures = [
    `smuggling (${framings.length} framings)`,
    `line breaks through ${places.length} things`,
    `${disguises.length} spellings of a guarded path against ${pairs} pairs`,
  ];
  expect(figures.filter((figure) => !page.includes(figure))).toEqual([]);
});
