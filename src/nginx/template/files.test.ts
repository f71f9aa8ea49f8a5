import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readTemplateFiles } from "./files.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "sluice-template-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

test("files are named by their path below the folder", () => {
  mkdirSync(join(folder, "settings"));
  writeFileSync(join(folder, "nginx.tmpl"), "main");
  writeFileSync(join(folder, "settings/logs.tmpl"), "logs");
  writeFileSync(join(folder, "README"), "not one");
  expect(Object.fromEntries(readTemplateFiles(folder))).toEqual({ nginx: "main", "settings/logs": "logs" });
});

test("a folder that is mounted from a ConfigMap is read once, through its links", () => {
  mkdirSync(join(folder, "..2026_01_01"));
  writeFileSync(join(folder, "..2026_01_01/nginx.tmpl"), "mine");
  symlinkSync("..2026_01_01", join(folder, "..data"));
  symlinkSync("..data/nginx.tmpl", join(folder, "nginx.tmpl"));
  expect(Object.fromEntries(readTemplateFiles(folder))).toEqual({ nginx: "mine" });
});
