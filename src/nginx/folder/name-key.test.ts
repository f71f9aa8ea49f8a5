import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { nameKeyIn } from "./name-key.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "name-key-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

test("a folder keeps its key through restarts, in a private file", () => {
  const key = nameKeyIn(folder);
  expect(key).toMatch(/^[\da-f]{32}$/);
  expect(nameKeyIn(folder)).toBe(key);
  expect(readdirSync(folder)).toEqual(["names"]);
  expect(statSync(join(folder, "names")).mode & 0o777).toBe(0o600);
});

test("a truncated key file is replaced by a new key", () => {
  writeFileSync(join(folder, "names"), "abc");
  const key = nameKeyIn(folder);
  expect(key).toMatch(/^[\da-f]{32}$/);
  expect(nameKeyIn(folder)).toBe(key);
});

test("without a writable folder the key lasts as long as the process", () => {
  expect(nameKeyIn(join(folder, "missing"))).toMatch(/^[\da-f]{32}$/);
});
