import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { writeAtomically } from "./files.ts";
import { Journal } from "./journal.ts";
import { lock } from "./lock.ts";
import { openRunFolder } from "./open.ts";

let parent: string;
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), "sluice-folder-"));
  onTestFinished(() => rmSync(parent, { recursive: true }));
});

test("folders become private, also if they existed with other permissions", () => {
  mkdirSync(join(parent, "run/sockets"), { recursive: true });
  chmodSync(join(parent, "run/sockets"), 0o755);
  const opened = openRunFolder(join(parent, "run"));
  if (!opened.ok) throw new Error(opened.why);
  const { tls, auth, include, temp, logs, sockets, data } = opened.folder;
  for (const folder of [tls, auth, include, temp, logs, sockets, data])
    expect(statSync(folder).mode & 0o777).toBe(0o700);
});

test("paths are stored without symbolic links, because /proc names folders that way", () => {
  symlinkSync(parent, `${parent}.link`);
  onTestFinished(() => rmSync(`${parent}.link`));
  expect(openRunFolder(`${parent}.link`)).toMatchObject({ ok: true, folder: { root: parent } });
});

test("a path that is too long for unix sockets gives one sentence", () => {
  const opened = openRunFolder(join(parent, "x".repeat(70)));
  expect(opened).toEqual({
    ok: false,
    why: expect.stringMatching(/^The run folder .* cannot be used: .*unix sockets\.$/),
  });
});

test("a path that leads to a file gives one sentence", () => {
  writeFileSync(join(parent, "file"), "");
  expect(openRunFolder(join(parent, "file"))).toMatchObject({
    ok: false,
    why: expect.stringContaining("a file is where a folder is needed"),
  });
});

test("a lock is held until it is released, and names its holder", async () => {
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

const wrong: readonly (readonly [name: string, plant: (run: string) => void, why: string])[] = [
  ["a link for a folder", (run) => symlinkSync("/tmp", join(run, "data")), "data exists and is not a folder"],
  [
    "a folder for the journal",
    (run) => mkdirSync(join(run, "data/records.journal"), { recursive: true }),
    "data/records.journal exists",
  ],
  [
    "a link for the journal",
    (run) => linked(run, "data/records.journal"),
    "data/records.journal exists and is not a plain file",
  ],
  ["a folder for the instance", (run) => mkdirSync(join(run, "nginx.instance")), "nginx.instance exists"],
  ["a link for the instance", (run) => linked(run, "nginx.instance"), "nginx.instance exists and is not a plain file"],
  ["a link for a draft", (run) => linked(run, "nginx.conf.candidate"), "nginx.conf.candidate exists"],
  ["a link for the draft of a pass", (run) => linked(run, "keys/controller.new"), "keys/controller.new exists"],
  ["a link for the lock", (run) => linked(run, "controller.lock"), "controller.lock exists"],
  [
    "a file for a socket",
    (run) => planted(run, "sockets/control.sock"),
    "sockets/control.sock exists and is not a socket",
  ],
  [
    "a folder for a socket",
    (run) => mkdirSync(join(run, "sockets/routes.sock"), { recursive: true }),
    "is not a socket",
  ],
  ["a link for a log", (run) => linked(run, "logs/access.log"), "logs/access.log is a link, which is not followed"],
  ["a link among certificates", (run) => linked(run, "tls/a/b.pem"), "tls/a/b.pem is a link, which is not followed"],
];

function planted(run: string, name: string): void {
  mkdirSync(dirname(join(run, name)), { recursive: true });
  writeFileSync(join(run, name), "");
}

function linked(run: string, name: string): void {
  mkdirSync(dirname(join(run, name)), { recursive: true });
  symlinkSync(join(parent, "precious"), join(run, name));
}

test.each(wrong)("%s is reported in one sentence, and nothing is written through it", (_name, plant, why) => {
  const run = join(parent, "run");
  mkdirSync(run);
  writeFileSync(join(parent, "precious"), "mine");
  plant(run);
  const opened = openRunFolder(run);
  expect(opened).toEqual({ ok: false, why: expect.stringContaining(`The run folder ${run} cannot be used: `) });
  expect(opened.ok ? "" : opened.why).toContain(why);
  expect(readFileSync(join(parent, "precious"), "utf8")).toBe("mine");
});

test("a link that appears after the start is not followed", async () => {
  const opened = openRunFolder(join(parent, "run"));
  if (!opened.ok) throw new Error(opened.why);
  const { journal, lock: lockFile, data } = opened.folder;
  writeFileSync(join(parent, "precious"), "mine");
  for (const path of [`${journal}.new`, lockFile, join(data, "state.json.new")])
    symlinkSync(join(parent, "precious"), path);
  const writer = await Journal.open(journal);
  await expect(writer.write([["a", "b"]])).rejects.toThrow("ELOOP");
  await expect(writeAtomically(join(data, "state.json"), "x")).rejects.toThrow("ELOOP");
  expect(await lock(lockFile)).toEqual({
    ok: false,
    why: `The run folder cannot be used: ${lockFile}: it is a symbolic link, or its links lead in a circle.`,
  });
  expect(readFileSync(join(parent, "precious"), "utf8")).toBe("mine");
});

test("a log may be a link to a device, as it is in containers", () => {
  mkdirSync(join(parent, "run/logs"), { recursive: true });
  symlinkSync("/dev/null", join(parent, "run/logs/access.log"));
  expect(openRunFolder(join(parent, "run"))).toMatchObject({ ok: true });
});
