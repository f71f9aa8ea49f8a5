import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { lineOf } from "./measured.ts";
import { pageOf } from "./page.ts";

const read = (name: string) => readFileSync(new URL(name, import.meta.url), "utf8");

test("docs/performance.md is the page of results.json", () => {
  expect(read("../../docs/performance.md")).toBe(pageOf(JSON.parse(read("results.json")), read("notes.md")));
});

test("a missed bound is bold on the page and said in the line", () => {
  const figure = { what: "a change", hosts: 1000, unit: "ms", values: [30, 10, 20], bound: 15 } as const;
  expect(lineOf(figure)).toBe("a change, 1,000 hosts: 20 ms (10 to 30, 3 tries; bound 15 ms: missed)");
  const page = pageOf({ one: { taken: "today", conditions: "here", figures: [figure] } }, "# Notes");
  expect(page).toContain("| a change | **20 ms** (10 to 30) | at most 15 ms |");
});

test("a row says how its cost grows with the hosts", () => {
  const at = (hosts: number, value: number) => ({ what: "a change", hosts, unit: "ms", values: [value] }) as const;
  const figures = [at(100, 2), at(1_000, 3), at(10_000, 8)];
  const page = pageOf({ one: { taken: "today", conditions: "here", figures } }, "# Notes");
  expect(page).toContain("| a change | 2 ms | 3 ms | 8 ms | 2 times |  |");
});
