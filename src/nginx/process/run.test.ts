import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { outputLimit, runToEnd } from "./run.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "sluice-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const sh = (script: string) => ["-c", script] as const;

test("the exit code and stderr are kept, and stdout is not", async () => {
  const run = await runToEnd("sh", sh("echo out; echo one >&2; echo two >&2; exit 3"));
  expect(run).toEqual({ ended: true, exitCode: 3, stderr: "one\ntwo" });
});

test("the environment of this process is replaced", async () => {
  const env = { PATH: process.env.PATH!, ONLY: "this" };
  const run = await runToEnd("sh", sh('echo "$ONLY $HOME" >&2'), { env });
  expect(run).toEqual({ ended: true, exitCode: 0, stderr: "this " });
});

test("a missing program, a missing folder and a file that is no program give one sentence each", async () => {
  const missing = join(folder, "nginx");
  const none = await runToEnd(missing, []);
  expect(none).toEqual({ ended: false, why: `Command failed with ENOENT: spawn ${missing} ENOENT` });
  const lost = await runToEnd("sh", sh("true"), { cwd: missing });
  expect(lost).toEqual({ ended: false, why: expect.stringContaining(`The "cwd" option is invalid: ${missing}.`) });
  expect(lost).toEqual({ ended: false, why: expect.not.stringContaining("\n") });
  writeFileSync(missing, "", { mode: 0o600 });
  const closed = await runToEnd(missing, []);
  expect(closed).toEqual({ ended: false, why: `Command failed with EACCES: spawn ${missing} EACCES` });
});

test.each([1, 40])(
  "a program gets an open file as its input, whatever its number (%d files are open)",
  async (count) => {
    const file = join(folder, "input");
    writeFileSync(file, "read");
    const open = Array.from({ length: count }, () => openSync(file, "r"));
    const run = await runToEnd("sh", sh("cat >&2"), { stdin: open.at(-1)! });
    expect(run).toEqual({ ended: true, exitCode: 0, stderr: "read" });
    for (const one of open) closeSync(one);
  },
);

/** Notes its process id, ignores SIGTERM, and never ends. */
const deaf = sh("trap '' TERM; echo $$ >draft; mv draft pid; exec sleep 1000000");
const exists = (pid: number) => existsSync(`/proc/${pid}`);

test("a program that ignores SIGTERM is killed on the signal, and leaves no zombie", async () => {
  const ending = new AbortController();
  const running = runToEnd("sh", deaf, { cwd: folder, signal: ending.signal });
  const pid = await vi.waitFor(() => Number(readFileSync(join(folder, "pid"), "utf8")), { timeout: 60_000 });
  ending.abort();
  expect(await running).toEqual({ ended: false, why: "Command was canceled: This operation was aborted" });
  expect(exists(pid)).toBe(false);
});

test("a program is killed after the limit", async () => {
  const run = await runToEnd("sleep", ["1000000"], { limitMs: 1 });
  expect(run).toEqual({ ended: false, why: "Command timed out after 1 milliseconds" });
});

test("a program that prints without end is ended", async () => {
  const run = await runToEnd("sh", sh("exec yes >&2"));
  const why = `Command's stderr was larger than ${outputLimit} characters: maxBuffer exceeded`;
  expect(run).toEqual({ ended: false, why });
});

test("a program that was killed by another is reported with the signal", async () => {
  const run = await runToEnd("sh", sh("kill -KILL $$"));
  expect(run).toEqual({ ended: false, why: "Command was killed with SIGKILL (Forced termination)" });
});
