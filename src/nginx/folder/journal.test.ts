import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Journal } from "./journal.ts";

let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "sluice-journal-"));
  path = join(folder, "journal");
});
afterEach(() => rmSync(folder, { recursive: true }));

test("records that were written are read when the journal is opened again", async () => {
  const journal = await Journal.open(path);
  await journal.write([
    ["host a", "1"],
    ["host b", "2"],
  ]);
  await journal.write([
    ["host a", "3"],
    ["host b", undefined],
  ]);
  expect([...(await Journal.open(path)).records]).toEqual([["host a", "3"]]);
});

test("history makes the journal at most twice as long as its valid records, plus a megabyte", async () => {
  const journal = await Journal.open(path);
  const values = ["x", "y", "z"].map((letter) => letter.repeat(100_000));
  await journal.write([["host gone", "g".repeat(2_000_000)]]);
  await journal.write([["host gone", undefined]]);
  expect(statSync(path).size).toBeLessThan(1_000);
  for (let round = 0; round < 60; round++) {
    await journal.write([["host a", values[round % 3]]]);
    expect(statSync(path).size).toBeLessThan(1_300_000);
  }
  const again = await Journal.open(path);
  expect([...again.records]).toEqual([["host a", values[59 % 3]]]);
  await again.write([["host b", "1"]]);
  expect(readFileSync(path, "utf8")).toMatch(/\["host b","1"\]\n$/);
});
