/**
 * Compares the CPU time of a connection and of a byte for a TCPRoute with a hand-written nginx.conf
 * that has the same endpoints and log. The two alternate on one machine, so that disturbances
 * affect both. `npm run bench -- --on-image streams` uses the image's nginx, which gets the
 * endpoints from the controller over DNS.
 */
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { askCapabilities } from "../../src/nginx/capabilities.ts";
import { nginxProcesses } from "../../src/nginx/process/processes.ts";
import { serving } from "../nginx/support/serve.ts";
import { until } from "../nginx/support/until.ts";
import type { Figure } from "./measured.ts";
import { cpuMicroseconds } from "./support/cpu.ts";
import { startNginx } from "./support/hand-written.ts";
import { fileOf, settingsFile, settingsFlag } from "./support/hosts.ts";
import { tcpRoute, tcpSlice } from "./support/tcp-route.ts";

const ports = { ours: 21_970, theirs: 21_971, backend: 21_972 } as const;
const endpoints = ["127.0.0.1", "127.0.0.2", "127.0.0.3", "127.0.0.4"];
const pairs = 10;
const turns = ["theirs", "ours", "ours", "theirs"] as const;
type Whose = (typeof turns)[number];
const connectionsEach = 1_000;
const atOnce = 16;
const megabyte = 2 ** 20;
const megabytesEach = 256;

export async function streams(): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), "sluice-bench-"));
  const asked = await askCapabilities("nginx", process.env.PATH ?? "");
  if (!asked.ok) throw new Error(asked.why);
  const { version, modules } = asked.capabilities;
  const module = modules.find((path) => path.endsWith("/ngx_stream_module.so"));
  const backends = await Promise.all(endpoints.map(backendOn));
  const theirs = await startNginx(handWritten(module));
  const settings = settingsFile({ "access-log-path": join(folder, "access.log") });
  const files = {
    "cluster.yaml": fileOf([...tcpRoute(ports.ours), tcpSlice(endpoints, ports.backend)]),
    "settings.yaml": settings,
  };
  const served = await serving({ files, flags: [settingsFlag], limitMs: 120_000 });
  await until("all endpoints", () =>
    ask(ports.ours, 1).then(
      () => true,
      () => false,
    ),
  );
  const ours = nginxProcesses({ root: served.runFolder, conf: join(served.runFolder, "nginx.conf") }).flatMap(
    ({ role, draining, pid }) => (role === "worker" && !draining ? [pid] : []),
  );
  const workers: Record<Whose, readonly number[]> = { ours, theirs: theirs.workers() };

  /** Returns the microseconds of the workers for each turn of `work`. */
  const round = async (work: (port: number) => Promise<unknown>): Promise<Record<Whose, number>> => {
    const cost = { ours: 0, theirs: 0 };
    for (const whose of turns) {
      const before = cpuMicroseconds(workers[whose]);
      await work(ports[whose]);
      cost[whose] += (cpuMicroseconds(workers[whose]) - before) / (turns.length / 2);
    }
    return cost;
  };
  const connections = (port: number) => inTurn(connectionsEach, () => ask(port, 1));
  const bytes = (port: number) => inTurn(megabytesEach / 16, () => ask(port, 16 * megabyte));
  const measured = async (work: (port: number) => Promise<unknown>) => {
    await round(work);
    const found: Record<Whose, number>[] = [];
    for (let pair = 0; pair < pairs; pair++) found.push(await round(work));
    return found;
  };
  const ofConnections = await measured(connections);
  const ofBytes = await measured(bytes);
  await served.remove();
  await theirs.stop();
  for (const backend of backends) backend.close();
  rmSync(folder, { recursive: true });
  const beside = (found: readonly Record<Whose, number>[]) => found.map((pair) => pair.ours / pair.theirs);
  const each = (found: readonly Record<Whose, number>[], count: number) => found.map((pair) => pair.ours / count);
  const what = `TCPRoute, nginx ${version}`;
  return [
    {
      what: `${what}: CPU of a connection beside the hand-written`,
      unit: "times",
      values: beside(ofConnections),
      bound: 1.1,
    },
    { what: `${what}: CPU of a connection`, unit: "us", values: each(ofConnections, connectionsEach) },
    { what: `${what}: CPU of a byte beside the hand-written`, unit: "times", values: beside(ofBytes), bound: 1.1 },
    { what: `${what}: CPU of a megabyte`, unit: "us", values: each(ofBytes, megabytesEach) },
  ];
}

/** A backend that reads a number, sends as many bytes, and closes the connection. */
async function backendOn(address: string) {
  const bytes = Buffer.alloc(16 * megabyte);
  const server = createServer((socket) => {
    socket.on("error", () => {}).once("data", (data) => socket.end(bytes.subarray(0, Number(data))));
  });
  server.listen(ports.backend, address);
  await once(server, "listening");
  return server;
}

/** Resolves when a new connection got all `bytes` and was closed. */
function ask(port: number, bytes: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let got = 0;
  const socket = connect(port, "127.0.0.1", () => socket.write(String(bytes)));
  socket.on("data", (data) => (got += data.length)).on("error", reject);
  socket.on("close", () => (got === bytes ? resolve() : reject(new Error(`${got} bytes of ${bytes} came`))));
  return promise;
}

async function inTurn(count: number, work: () => Promise<void>): Promise<void> {
  let left = count;
  const one = async () => {
    while (left-- > 0) await work();
  };
  await Promise.all(Array.from({ length: atOnce }, one));
}

const handWritten = (module: string | undefined): string => `
${module === undefined ? "" : `load_module ${module};`}
worker_processes 2;
worker_rlimit_nofile 65536;
pid {root}/nginx.pid;
events { multi_accept on; worker_connections 16384; }
stream {
  log_format log_stream '[$remote_addr] [$time_local] $protocol $status $bytes_sent $bytes_received $session_time';
  access_log {root}/access.log log_stream;
  proxy_timeout 600s; proxy_next_upstream on; proxy_next_upstream_timeout 600s; proxy_next_upstream_tries 3;
  upstream db { zone db 1m; ${endpoints.map((address) => `server ${address}:${ports.backend};`).join(" ")} }
  server { listen ${ports.theirs}; proxy_pass db; }
}`;
