import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { hasLogVolume, makeLogFolders } from "./log-folders.ts";

function rootWith(...folders: readonly string[]): string {
  const root = mkdtempSync(join(tmpdir(), "log-folders-"));
  for (const folder of folders) mkdirSync(join(root, folder), { recursive: true });
  return root;
}

test("an empty volume gets the folders of the image, and its logs lead to the container's", () => {
  const root = rootWith("var/log", "tmp");
  const mounts = new Set(["/var/log", "/tmp"]);
  makeLogFolders(mounts, root);
  // A container that starts again finds the volume as it left it.
  makeLogFolders(mounts, root);
  expect(readdirSync(join(root, "var/log")).sort()).toEqual(["audit", "nginx"]);
  expect(readlinkSync(join(root, "var/log/nginx/access.log"))).toBe("/dev/stdout");
  expect(readlinkSync(join(root, "var/log/nginx/error.log"))).toBe("/dev/stderr");
  expect(existsSync(join(root, "tmp/nginx"))).toBe(true);
});

test("a machine without such a volume is not changed", () => {
  const root = rootWith("var/log", "tmp");
  makeLogFolders(new Set(["/", "/proc"]), root);
  expect([readdirSync(join(root, "var/log")), readdirSync(join(root, "tmp"))]).toEqual([[], []]);
});

test("a volume of the user for the logs gets no links, and nginx writes real files there", () => {
  const root = rootWith("var/log/nginx");
  const mounts = new Set(["/var/log", "/var/log/nginx"]);
  makeLogFolders(mounts, root);
  expect(readdirSync(join(root, "var/log/nginx"))).toEqual([]);
  expect(hasLogVolume(mounts, root)).toBe(true);
  expect(hasLogVolume(new Set(["/var/log"]), root)).toBe(false);
});

test("a volume in which nginx may not write is no place for logs", ({ skip }) => {
  skip(process.getuid?.() === 0, "root may write everywhere");
  const root = rootWith("var/log/nginx");
  chmodSync(join(root, "var/log/nginx"), 0o500);
  expect(hasLogVolume(new Set(["/var/log/nginx"]), root)).toBe(false);
});
