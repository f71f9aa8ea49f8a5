import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { lineOf, shown } from "./measured.ts";
import { pageOf } from "./page.ts";

const read = (name: string) => readFileSync(new URL(name, import.meta.url), "utf8");

test("docs/performance.md shows the figures of results.json", () => {
  expect(read("../../docs/performance.md")).toBe(
    pageOf(JSON.parse(read("results.json")), read("notes.md"), read("reload-costs.md")),
  );
});

test("a missed bound is bold on the page and named in the line", () => {
  const figure = { what: "a change", hosts: 1000, unit: "ms", values: [30, 10, 20], bound: 15 } as const;
  expect(lineOf(figure)).toBe("a change, 1,000 hosts: 20 ms (10 to 30, 3 tries; bound 15 ms: missed)");
  const page = pageOf({ one: { taken: "today", conditions: "here", figures: [figure] } }, "# Notes");
  expect(page).toContain("| a change | **20 ms** (10 to 30) | at most 15 ms |");
});

test("a row has the factor by which its cost grows with the hosts", () => {
  const at = (hosts: number, value: number) => ({ what: "a change", hosts, unit: "ms", values: [value] }) as const;
  const figures = [at(100, 2), at(1_000, 3), at(10_000, 8)];
  const page = pageOf({ one: { taken: "today", conditions: "here", figures } }, "# Notes");
  expect(page).toContain("| a change | 2 ms | 3 ms | 8 ms | 2 times |  |");
});

test("a bound for some numbers of hosts names them", () => {
  const at = (hosts: number, bound?: number) => {
    return { what: "memory", hosts, unit: "MB", values: [100], ...(bound === undefined ? {} : { bound }) } as const;
  };
  const bounds = (...figures: ReturnType<typeof at>[]) =>
    /(at most .*) \|/.exec(pageOf({ one: { taken: "today", conditions: "here", figures } }, ""))?.[1];
  expect(bounds(at(100, 170), at(1_000), at(10_000, 400))).toBe(
    "at most 170 MB with 100 hosts, 400 MB with 10,000 hosts",
  );
  expect(bounds(at(10, 170), at(100, 170), at(1_000))).toBe("at most 170 MB with 10 to 100 hosts");
  expect(bounds(at(100, 170), at(1_000, 170))).toBe("at most 170 MB");
});

test.each([
  [0, "0 ms"],
  [0.0003, "0.0003 ms"],
  [-0.004, "-0.004 ms"],
  [0.05, "0.05 ms"],
  [1.274, "1.27 ms"],
  [97.25, "97.3 ms"],
  [1503.6, "1504 ms"],
])("the figure %d is printed as %s", (value, text) => expect(shown(value, "ms")).toBe(text));
