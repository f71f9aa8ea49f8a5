/**
 * Compares the CPU time that nginx's workers need for a request with that of a hand-written
 * nginx.conf that proxies the same hosts with the same headers, log and certificate. The two
 * alternate on one machine, so that disturbances affect both. The hand-written one keeps
 * connections as the mode does: by one upstream block for all, or by one for each Service, which
 * matters most with 10,000 Services. Clients keep their connections, so handshakes are not
 * included.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { idleConnections } from "../../src/core/render/conf/upstream-views.ts";
import { makeCertificate } from "../../src/edges/admission/own-certificate.ts";
import { nginxProcesses } from "../../src/nginx/process/processes.ts";
import { ports, serving } from "../nginx/support/serve.ts";
import type { Figure } from "./measured.ts";
import { cpuMicroseconds } from "./support/cpu.ts";
import { backend, handWritten, pairIn, startNginx } from "./support/hand-written.ts";
import { fileOf, filesOf, hostOf, secretOf, settingsFlag } from "./support/hosts.ts";
import { type Listener, openLoad, type Protocol } from "./support/load.ts";
import { sizesOr } from "./support/sizes.ts";

const [backendPort, http, https] = [21_950, 21_951, 21_952];
const [ourBackend, theirBackend] = ["127.0.0.1", "127.0.0.2"];
const pairs = 10;
/** One pair alternates this often, so that disturbances affect both alike. */
const turns = ["theirs", "ours", "ours", "theirs", "theirs", "ours", "ours", "theirs"] as const;
const requestsEach = 1_000;
/** Requests after which LuaJIT has compiled its code. */
const warmUp = 1_000;
/** The default of upstream-keepalive-connections. */
const keptByDefault = 320;

interface Way {
  readonly name: string;
  readonly flags: readonly string[];
  /** Whether each Service has an upstream block of its own. */
  readonly services: boolean;
  readonly bound: number;
}
const ways: readonly Way[] = [
  { name: "dynamic", flags: ["--mode=dynamic", "--enable-metrics=false"], services: false, bound: 1.1 },
  {
    name: "dynamic with request metrics",
    flags: ["--mode=dynamic", "--enable-metrics=true"],
    services: false,
    bound: 1.25,
  },
  { name: "static", flags: ["--mode=static"], services: true, bound: 1.05 },
];
const protocols: Readonly<Record<Protocol, string>> = { http: "HTTP/1.1", https: "HTTP/1.1 over TLS", h2: "HTTP/2" };

export async function requests(): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const hosts of sizesOr([10, 10_000])) for (const way of ways) figures.push(...(await beside(way, hosts)));
  return figures;
}

async function beside({ name, flags, services, bound }: Way, hosts: number): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), "sluice-bench-"));
  const certificate = await makeCertificate(["example"], new Date());
  const pair = pairIn(folder, certificate);
  const names = Array.from({ length: hosts }, (_, at) => hostOf(at));
  const backends = await startNginx(backend([ourBackend, theirBackend], backendPort));
  const keepalive = services ? idleConnections(keptByDefault, hosts) : keptByDefault;
  const listeners = { http, https, backend: `${theirBackend}:${backendPort}` };
  const hand = await startNginx(handWritten({ hosts: names, ...listeners, ...pair, keepalive, services }));
  const files = filesOf({
    hosts,
    endpoint: { address: ourBackend, port: backendPort },
    settings: {
      "access-log-path": join(folder, "access.log"),
      "keep-alive-requests": "1000000",
      "ssl-redirect": "false",
    },
  });
  files["certificate.yaml"] = fileOf([secretOf(0, certificate)]);
  const served = await serving({
    files,
    flags: [settingsFlag, "--default-ssl-certificate=shop/tls-0", ...flags],
    limitMs: 120_000,
  });
  const workers = () =>
    nginxProcesses({ root: served.runFolder, conf: join(served.runFolder, "nginx.conf") }).flatMap((process) =>
      process.role === "worker" && !process.draining ? [process.pid] : [],
    );

  const figures: Figure[] = [];
  const since = performance.now();
  for (const [protocol, title] of Object.entries(protocols) as [Protocol, string][]) {
    const secure = protocol !== "http";
    const asked = {
      ours: { protocol, hosts: names, port: secure ? ports.https : ports.http },
      theirs: { protocol, hosts: names, port: secure ? https : http },
    };
    const processes = { ours: workers(), theirs: hand.workers() };
    // A run goes through the hosts in turn, four times for each side: each worker sees them all.
    await costs(asked, processes, Math.max(warmUp, hosts / 2));
    const found: Costs[] = [];
    for (let pair = 0; pair < pairs; pair++) found.push(await costs(asked, processes, requestsEach));
    const values = found.map((pair) => pair.ours / pair.theirs);
    const what = `${title}, ${name}`;
    figures.push(
      { what: `${what}: CPU beside the hand-written`, hosts, unit: "times", values, bound },
      { what: `${what}: CPU of a request`, hosts, unit: "us", values: found.map((pair) => pair.ours) },
    );
  }
  // A whole run takes some minutes, more on a busy machine, and prints its figures at the end.
  console.error(`requests: ${name}, ${hosts} hosts, measured in ${Math.round((performance.now() - since) / 1000)} s`);
  await served.remove();
  await hand.stop();
  await backends.stop();
  rmSync(folder, { recursive: true });
  return figures;
}

/** Returns the CPU time of a request, in microseconds. */
type Costs = Record<(typeof turns)[number], number>;

/**
 * Each run uses new connections: how many of them a worker gets is chance, and a busier worker
 * needs less time for a request.
 */
async function costs(
  listeners: Record<keyof Costs, Listener>,
  processes: Record<keyof Costs, readonly number[]>,
  requests: number,
): Promise<Costs> {
  const loads = { ours: await openLoad(listeners.ours, 32), theirs: await openLoad(listeners.theirs, 32) };
  const cost = { ours: 0, theirs: 0 };
  for (const whose of turns) {
    const before = cpuMicroseconds(processes[whose]);
    await loads[whose].run(requests);
    cost[whose] += (cpuMicroseconds(processes[whose]) - before) / requests / (turns.length / 2);
  }
  for (const load of Object.values(loads)) load.close();
  return cost;
}
