/**
 * Two `sluice serve` on one machine: neither takes a port of the other, unless both are to serve
 * the same ports while one replaces the other.
 */
import { execFileSync } from "node:child_process";
import type { Server } from "node:http";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { everydayBackend, everydayClients } from "./support/everyday-clients.ts";
import { installedNginx } from "./support/installed.ts";
import { request } from "./support/request.ts";
import { ports, type Served, serving, toWeb, webAt } from "./support/serve.ts";

/** Each test starts two programs, and on a busy machine each start takes a minute. */
vi.setConfig({ testTimeout: 600_000 });
const backendPort = 21_975;
const host = "web.example";
let backend: Server;
beforeAll(async () => {
  backend = await everydayBackend("127.0.0.1", backendPort);
});
afterAll(() => {
  backend.close();
  backend.closeAllConnections();
});

/** Starts it with these flags of ports and no others. */
async function start(flags: readonly string[]): Promise<Served> {
  const served = await serving({
    limitMs: 300_000,
    files: { "web.yaml": toWeb({ host }), "backends.yaml": webAt(backendPort) },
    through: (command) => [...command.filter((word) => !/^--[a-z-]+-port=/.test(word)), ...flags],
  });
  onTestFinished(served.remove);
  return served;
}

const moved = (served: Served) =>
  served
    .lines()
    .filter(({ msg }) => msg === "another program uses the default port; the next free one is used")
    .map(({ flag, busy, port }) => `${flag} ${busy} ${port}`);

test("the second one takes the next free ports in place of those that only Sluice uses", async () => {
  const first = await start(["--http-port=23001", "--https-port=23002", "--healthz-port=23003", "--profiling"]);
  const second = await start(["--http-port=23011", "--https-port=23012", "--healthz-port=23013", "--profiling"]);
  expect(moved(first)).toEqual([]);
  // Only an nginx from 1.27.3 on uses the port of streams.
  const { upstreamResolve } = await installedNginx();
  expect(moved(second)).toEqual([
    "--default-server-port 8181 8182",
    "--name-check-port 10243 10244",
    "--profiler-port 10245 10248",
    "--status-port 10246 10249",
    ...(upstreamResolve ? ["--stream-port 10247 10250"] : []),
  ]);
  expect((await request({ to: "127.0.0.1:10249", path: "/healthz" })).status).toBe(200);
  for (const to of ["127.0.0.1:23001", "127.0.0.1:23011"]) expect((await request({ to, host })).status).toBe(200);
});

test("a port that the command line names does not move", async () => {
  await start(["--http-port=23021", "--https-port=23022", "--healthz-port=23023"]);
  const second = start(["--http-port=23031", "--https-port=23032", "--healthz-port=23033", "--status-port=10246"]);
  await expect(second).rejects.toThrow("10246 (--status-port): an nginx of Sluice is using this address");
});

test("one replaces the other on the same ports, and no request fails", async () => {
  // Otherwise the kernel resets connections that wait in the queue of a socket that is closed.
  execFileSync("sysctl", ["--quiet", "--write", "net.ipv4.tcp_migrate_req=1"]);
  const same = [`--http-port=${ports.http}`, `--https-port=${ports.https}`, "--shutdown-grace-period=3"];
  const old = await start([...same, "--healthz-port=23043"]);
  const clients = everydayClients(host, ports);
  await start([...same, "--healthz-port=23053"]);
  old.signal("SIGTERM");
  expect(await old.ended).toBe(0);
  await clients.end();
  expect([...clients.failures, clients.races]).toEqual([0]);
  expect([...clients.answers].filter(([, count]) => count < 2)).toEqual([]);
});
