import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { ConfigurationFiles, writeAtomically } from "./files.ts";
import { openRunFolder } from "./open.ts";
import type { RunFolder } from "./paths.ts";

let folder: RunFolder;
let files: ConfigurationFiles;
beforeEach(() => {
  const opened = openRunFolder(mkdtempSync(join(tmpdir(), "sluice-files-")));
  if (!opened.ok) throw new Error(opened.why);
  folder = opened.folder;
  files = new ConfigurationFiles(folder);
  onTestFinished(() => rmSync(folder.root, { recursive: true }));
});

const content = (path: string): string => readFileSync(join(folder.root, path), "utf8");
const inode = (path: string): number => statSync(join(folder.root, path)).ino;
const mode = (path: string): number => statSync(path).mode & 0o777;

test("files and their folders are private", async () => {
  await files.write([{ path: "tls/shop/web.pem", content: "key" }]);
  expect(mode(join(folder.tls, "shop/web.pem"))).toBe(0o600);
  expect(mode(join(folder.tls, "shop"))).toBe(0o700);
  expect(mode(folder.tls)).toBe(0o700);
});

test("only files whose bytes differ are written", async () => {
  await files.write([
    { path: "tls/a", content: "one" },
    { path: "tls/b", content: "two" },
  ]);
  const before = inode("tls/a");
  const written = await new ConfigurationFiles(folder).write([
    { path: "tls/a", content: Buffer.from("one") },
    { path: "tls/b", content: "changed" },
  ]);
  expect(written.changed).toBe(1);
  expect(inode("tls/a")).toBe(before);
  expect(content("tls/b")).toBe("changed");
});

test("undo restores the former files, and removes new ones", async () => {
  await files.write([{ path: "auth/users", content: "old" }]);
  const written = await files.write([
    { path: "auth/users", content: "new" },
    { path: "auth/more", content: "x" },
  ]);
  await written.undo();
  expect(content("auth/users")).toBe("old");
  expect(existsSync(join(folder.auth, "more"))).toBe(false);
  expect((await files.write([{ path: "auth/users", content: "new" }])).changed).toBe(1);
});

test("prune removes exactly the unused files, and a removed file is written again when it is needed", async () => {
  await files.write(["tls/a", "tls/deep/b", "auth/c"].map((path) => ({ path, content: path })));
  files.prune((path) => path === "tls/deep/b");
  expect(readdirSync(folder.tls)).toEqual(["deep"]);
  expect(readdirSync(folder.auth)).toEqual([]);
  expect((await files.write([{ path: "auth/c", content: "auth/c" }])).changed).toBe(1);
  expect(content("auth/c")).toBe("auth/c");
});

test("prune keeps the draft of a needed file, and no other draft", () => {
  for (const name of ["a.new", "b.new"]) writeFileSync(join(folder.tls, name), "");
  files.prune((path) => path === "tls/a");
  expect(readdirSync(folder.tls)).toEqual(["a.new"]);
});

test.each([
  "nginx.conf",
  "tls",
  "tls/",
  "tls/../nginx.conf",
  "data/records.journal",
  "/etc/passwd",
  "tls//a",
  "tls/a.new",
])("a file named %j is a mistake of the program", async (path) => {
  await expect(files.write([{ path, content: "" }])).rejects.toThrow("cannot be called");
});

test("a replaced file is a new file, so a reader of the old one keeps the old bytes", async () => {
  const path = join(folder.data, "x");
  await writeAtomically(path, "old");
  const before = statSync(path).ino;
  await writeAtomically(path, "new");
  expect(statSync(path).ino).not.toBe(before);
  expect(readdirSync(folder.data)).toEqual(["x"]);
});
