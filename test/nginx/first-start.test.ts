/**
 * The first start of a run folder, which is nginx's own test of the text. If nginx refuses it,
 * the outcome is that of a test.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { nginxProcesses } from "../../src/nginx/process/processes.ts";
import { testNginx } from "./support/nginx.ts";
import { request } from "./support/request.ts";

const to = "127.0.0.48:18080";
const saying = (text: string, more = "") => ({ http: `server { listen ${to}; return 200 ${text}; } ${more}` });

test("the first start of nginx replaces its test, and each later text is tested", async () => {
  const base = mkdtempSync(join(tmpdir(), "sluice-first-"));
  const [binary, log] = [join(base, "nginx"), join(base, "log")];
  writeFileSync(binary, `#!/bin/sh\necho "$1" >> ${log}\nexec nginx "$@"\n`, { mode: 0o755 });
  const it = await testNginx({ binary });
  onTestFinished(async () => {
    await it.stop();
    rmSync(base, { recursive: true });
  });
  const runs = () => readFileSync(log, "utf8").trim().split("\n");
  expect(await it.apply(saying("one"))).toMatchObject({ kind: "reloaded", started: true });
  expect(runs()).toEqual(["-p"]);
  expect((await request({ to })).body).toBe("one");
  expect(readFileSync(it.folder.lastGoodConf, "utf8")).toBe(readFileSync(it.folder.conf, "utf8"));
  expect(await it.apply(saying("two"))).toMatchObject({ kind: "reloaded" });
  expect(runs()).toEqual(["-p", "-t"]);
});

test("a mistake at the first start is refused with its line and leaves no nginx, and the next text is served", async () => {
  const it = await testNginx();
  onTestFinished(() => it.stop());
  it.expectError(/no_such_directive/);
  const outcome = await it.apply(saying("one", "no_such_directive;"));
  expect(outcome).toMatchObject({ kind: "refused", at: { file: it.folder.conf } });
  const { line } = (outcome as { at: { line: number } }).at;
  expect(readFileSync(it.folder.refusedConf, "utf8").split("\n")[line - 1]).toContain("no_such_directive");
  expect([existsSync(it.folder.conf), nginxProcesses(it.folder)]).toEqual([false, []]);
  await it.serve(saying("two"));
  expect((await request({ to })).body).toBe("two");
});

test("the first start reports the same warnings as a test", async () => {
  const [started, tested] = [await testNginx(), await testNginx()];
  onTestFinished(async () => {
    await started.stop();
    await tested.stop();
  });
  const twice = (at: string) => ({ http: "server { server_name same; listen AT; } ".replaceAll("AT", at).repeat(2) });
  const told = /^\S+ \S+ \[warn\] \d+#\d+: conflicting server name "same" on 127.0.0.48:1808\d, ignored$/;
  const first = await started.apply(twice("127.0.0.48:18081"));
  expect(first).toMatchObject({ kind: "reloaded", warnings: [expect.stringMatching(told)] });
  await tested.serve(saying("one"));
  const later = await tested.apply(twice("127.0.0.48:18082"));
  expect(later).toMatchObject({ kind: "reloaded", warnings: [expect.stringMatching(told)] });
});

test("a start whose port belongs to an nginx of Sluice in another run folder names it, and what to do", async () => {
  const [one, other] = [await testNginx(), await testNginx()];
  onTestFinished(async () => {
    await other.stop();
    await one.stop();
  });
  await one.serve(saying("one"));
  other.expectError(/Address already in use|still could not bind/);
  const outcome = await other.apply(saying("two"));
  const { pid } = one.nginx;
  const own = `an nginx of Sluice is using this address, process ${pid}, started in ${one.folder.root}`;
  const instead = `--run-folder=${one.folder.root} takes its place; \`kill -QUIT ${pid}\` ends it`;
  const cause = new Error(`nginx did not start: nginx cannot listen on ${to}: ${own}; ${instead}.`);
  expect(outcome).toMatchObject({ kind: "unreachable", cause });
});
