import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { openRunFolder } from "./folder.ts";
import { lock } from "./lock.ts";

let parent: string;
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), "sluice-folder-"));
  onTestFinished(() => rmSync(parent, { recursive: true }));
});

test("folders are private, also when they were not before", () => {
  mkdirSync(join(parent, "run/sockets"), { recursive: true });
  chmodSync(join(parent, "run/sockets"), 0o755);
  const opened = openRunFolder(join(parent, "run"));
  if (!opened.ok) throw new Error(opened.why);
  const { tls, auth, include, temp, logs, sockets, data } = opened.folder;
  for (const folder of [tls, auth, include, temp, logs, sockets, data])
    expect(statSync(folder).mode & 0o777).toBe(0o700);
});

test("paths are without symbolic links, because /proc names folders that way", () => {
  symlinkSync(parent, `${parent}.link`);
  onTestFinished(() => rmSync(`${parent}.link`));
  expect(openRunFolder(`${parent}.link`)).toMatchObject({ ok: true, folder: { root: parent } });
});

test("a path too long for unix sockets is one sentence", () => {
  const opened = openRunFolder(join(parent, "x".repeat(70)));
  expect(opened).toEqual({
    ok: false,
    why: expect.stringMatching(/^The run folder .* cannot be used: .*unix sockets\.$/),
  });
});

test("a path that is a file is one sentence", () => {
  writeFileSync(join(parent, "file"), "");
  expect(openRunFolder(join(parent, "file"))).toMatchObject({ ok: false, why: expect.stringContaining("EEXIST") });
});

test("a lock is held until it is released, and names who holds it", async () => {
  const path = join(parent, "lock");
  const first = await lock(path);
  const second = await lock(path);
  expect(second).toEqual({
    ok: false,
    why: expect.stringContaining(`another controller, process ${process.pid}, is using it`),
  });
  if (first.ok) await first.release();
  const third = await lock(path);
  expect(third.ok).toBe(true);
  if (third.ok) await third.release();
});
