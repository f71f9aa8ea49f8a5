/**
 * Tests the profiler of a running controller: it listens on loopback alone, and no other account
 * can read its files.
 */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { showing } from "../../src/edges/operator-token.ts";
import { request } from "./support/request.ts";
import { serving } from "./support/serve.ts";

const profilerPort = 21_245;
const more = "apiVersion: v1\nkind: Namespace\nmetadata: { name: more }\n";

test("a heap snapshot is in the run folder, SIGUSR1 opens the inspector, and the address is a loopback one", async () => {
  const flags = ["--profiling", "--profiler-address=0.0.0.0", `--profiler-port=${profilerPort}`];
  const one = await serving({ files: { "more.yaml": more }, flags });
  onTestFinished(one.remove);
  expect((await one.logged(/--profiler-address/)).problem).toContain("127.0.0.1 is used");
  await expect(request({ to: `192.0.2.1:${profilerPort}`, path: "/debug/pprof/" })).rejects.toThrow("ECONNREFUSED");

  const to = `127.0.0.1:${profilerPort}`;
  const headers = showing(readFileSync(join(one.runFolder, "operator.token"), "utf8"));
  const path = (await request({ to, path: "/debug/pprof/heap", method: "POST", headers })).body.trim();
  expect(path.startsWith(join(one.runFolder, "data"))).toBe(true);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readFileSync(path, "utf8").slice(0, 40)).toContain('{"snapshot"');
  await request({ to, path: "/debug/pprof/heap", method: "POST", headers });
  expect(readdirSync(join(one.runFolder, "data")).filter((name) => name.endsWith(".heapsnapshot"))).toHaveLength(1);

  one.signal("SIGUSR1");
  const { address } = await one.logged(/inspector is open/);
  expect(address).toMatch(/^ws:\/\/127\.0\.0\.1:\d+\//);
});

test("without --profiling no port is open, and SIGUSR1 opens none", async () => {
  const one = await serving({
    files: { "more.yaml": more },
    flags: ["--profiling=false", `--profiler-port=${profilerPort}`],
  });
  onTestFinished(one.remove);
  one.signal("SIGUSR1");
  expect((await one.health()).status).toBe(200);
  await expect(request({ to: `127.0.0.1:${profilerPort}` })).rejects.toThrow("ECONNREFUSED");
  expect(one.printed()).not.toContain("Debugger listening");
});
