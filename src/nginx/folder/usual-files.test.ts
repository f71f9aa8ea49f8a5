import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { pathsOf } from "./paths.ts";
import { addUsualFiles } from "./usual-files.ts";

test("a run folder gets nginx's pages and the files of its package, and keeps those that it has", () => {
  const folder = pathsOf(mkdtempSync(join(tmpdir(), "usual-files-")));
  const installed = mkdtempSync(join(tmpdir(), "usual-files-"));
  mkdirSync(folder.html);
  writeFileSync(join(folder.html, "50x.html"), "mine");
  writeFileSync(join(installed, "fastcgi_params"), "fastcgi_param QUERY_STRING $query_string;");
  addUsualFiles(folder, installed);
  addUsualFiles(folder, installed);
  expect(readdirSync(folder.html).sort()).toEqual(["50x.html", "index.html"]);
  expect(readFileSync(join(folder.html, "50x.html"), "utf8")).toBe("mine");
  expect(readdirSync(folder.root).sort()).toEqual(["fastcgi_params", "html"]);
  expect(readFileSync(join(folder.root, "fastcgi_params"), "utf8")).toContain("QUERY_STRING");
});
