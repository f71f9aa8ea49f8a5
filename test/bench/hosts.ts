/**
 * Measures the cost of many plain hosts for nginx, and the time until a new one is live, with
 * `sluice serve` on a folder. There are 10 to 100,000 hosts as data, 10,000 of them with 2,000
 * certificates, and hosts as text (static mode) beside the smallest nginx.conf that serves the same
 * hosts.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { execa } from "execa";
import { nginxProcesses } from "../../src/nginx/process/processes.ts";
import { request } from "../nginx/support/request.ts";
import { ports, type Served, type ServeOptions, serving, startServe } from "../nginx/support/serve.ts";
import { until } from "../nginx/support/until.ts";
import { type Figure, medianOf } from "./measured.ts";
import { compiled } from "./support/compiled.ts";
import { pssMegabytes, residentMegabytes } from "./support/cpu.ts";
import {
  certificatesAmong,
  fileOf,
  filesOf,
  hostOf,
  ingress,
  secretsOf,
  service,
  settingsFlag,
  slice,
} from "./support/hosts.ts";
import { sizesOr } from "./support/sizes.ts";

export const backendPort = 21_960;
export const endpoint = { address: "127.0.0.1", port: backendPort };
const test = "nginx -t";
const births = 20;
const reloads = 5;
/** The time until V8 has freed the memory of a start, or of a busy time. */
export const quietMsOf = (hosts: number): number => (hosts > boundAt ? 90_000 : 10_000);
/** Bounds that depend on the number of hosts are for this number. */
const boundAt = 10_000;

export async function hosts(): Promise<Figure[]> {
  const backend = createServer((_request, response) => response.end("ok")).listen(backendPort, "127.0.0.1");
  const figures: Figure[] = [];
  const node = await compiled();
  let few: number | undefined;
  for (const size of sizesOr([10, 100, 1_000, 10_000, 100_000])) {
    const found = await plain(size, node);
    const tests = found.find(({ what }) => what === test)!.values;
    few ??= medianOf(tests);
    const values = tests.map((ms) => ms / few!);
    figures.push(...found, {
      what: `${test} beside that with the fewest`,
      hosts: size,
      unit: "times",
      values,
      bound: 3,
    });
  }
  for (const size of sizesOr([boundAt]).filter((size) => size <= boundAt))
    figures.push(...(await withCertificates(size, node)));
  backend.close();
  backend.closeAllConnections();
  return figures;
}

async function plain(hosts: number, node: readonly string[]): Promise<Figure[]> {
  const earlier = mkdtempSync(join(tmpdir(), "sluice-bench-"));
  const options = { files: filesOf({ hosts, endpoint }), node, earlier };
  const fresh = await untilLastAnswers(options, hosts);
  await fresh.served.remove();
  const { served, seconds } = await untilLastAnswers(options, hosts);
  await delay(quietMsOf(hosts));
  const quiet = residentMegabytes(served.pid);
  await meetAll(served, hosts);
  const tests = await testsOf(served);
  const live = await newHosts(served, hosts);
  const born = reloadsOf(served).length;
  const tookMs = await newShapes(served, hosts + births);
  await delay(quietMsOf(hosts));
  const large = hosts > boundAt;
  const bounds = boundsOf(hosts);
  const figures: Figure[] = [
    { what: "from the start to the last host's answer", hosts, unit: "s", values: [fresh.seconds], ...bounds.start },
    { what: "the same with a journal", hosts, unit: "s", values: [seconds], ...bounds.start },
    { what: test, hosts, unit: "ms", values: tests, bound: 200 },
    { what: "test and reload", hosts, unit: "ms", values: tookMs, ...(large ? {} : { bound: 200 }) },
    { what: "a worker's memory (PSS)", hosts, unit: "MB", values: workersOf(served), ...(large ? {} : { bound: 40 }) },
    {
      what: "the controller's memory (RSS) some seconds after the start",
      hosts,
      unit: "MB",
      values: [quiet],
      ...bounds.memory,
    },
    {
      what: "the controller's memory (RSS) some seconds after those hosts and reloads",
      hosts,
      unit: "MB",
      values: [residentMegabytes(served.pid)],
      ...bounds.memory,
    },
    { what: "a new host, from its file to its answer", hosts, unit: "ms", values: live, bound: large ? 200 : 100 },
    { what: "reloads for those new hosts", hosts, unit: "", values: [born - 1], bound: 0 },
  ];
  await served.remove();
  rmSync(earlier, { recursive: true });
  return figures;
}

/** The bounds by the number of hosts: seconds of a start, and MB of the controller. */
function boundsOf(hosts: number): Readonly<Record<"start" | "memory", { readonly bound?: number }>> {
  const [start, memory] = wanted[hosts] ?? [];
  return { start: start === undefined ? {} : { bound: start }, memory: memory === undefined ? {} : { bound: memory } };
}

const wanted: Readonly<Record<number, readonly [number | undefined, number]>> = {
  10: [undefined, 100],
  1000: [0.6, 130],
  10000: [2, 230],
  100000: [12, 1_024],
};

export async function untilLastAnswers(
  options: ServeOptions,
  hosts: number,
): Promise<{ served: Served; seconds: number }> {
  const begun = performance.now();
  const served = startServe(options);
  const last = hostOf(hosts - 1);
  while ((await served.ask(last).catch(() => undefined))?.status !== 200) await delay(2);
  const seconds = (performance.now() - begun) / 1000;
  await until("it to serve", () => served.lines().some(({ msg }) => msg === "serving"), 600_000);
  return { served, seconds };
}

async function withCertificates(hosts: number, node: readonly string[]): Promise<Figure[]> {
  const count = certificatesAmong(hosts);
  const files = filesOf({ hosts, endpoint, secrets: await secretsOf(count), settings: { "ssl-redirect": "false" } });
  const served = await serving({ files, flags: [settingsFlag], limitMs: 600_000, node });
  for (let at = 0; at < hosts; at += Math.max(1, Math.floor(hosts / 2_000))) await answered(served, hostOf(at));
  const before = workersOf(served);
  for (let at = 0; at < count; at++)
    await request({ to: `127.0.0.1:${ports.https}`, host: hostOf(at), sni: hostOf(at) });
  const after = workersOf(served);
  const tookMs = await newShapes(served, hosts);
  await served.remove();
  const having = `with ${count.toLocaleString("en")} certificates`;
  return [
    { what: `test and reload, ${having}`, hosts, unit: "ms", values: tookMs, bound: 200 },
    { what: `a worker's memory (PSS), ${having}`, hosts, unit: "MB", values: before, bound: 60 },
    { what: `a worker's memory (PSS), ${having} that all had handshakes`, hosts, unit: "MB", values: after, bound: 60 },
  ];
}

export async function testsOf(served: Served, tries = 5): Promise<number[]> {
  const tookMs: number[] = [];
  const conf = join(served.runFolder, "nginx.conf");
  for (let at = 0; at < tries; at++) {
    const since = performance.now();
    await execa("nginx", ["-t", "-p", served.runFolder, "-c", conf, "-e", "stderr"], { reject: false });
    tookMs.push(performance.now() - since);
  }
  return tookMs;
}

/** Returns the memory of each worker. */
export function workersOf({ runFolder: root }: Served): number[] {
  const workers = nginxProcesses({ root, conf: join(root, "nginx.conf") });
  return workers.flatMap(({ role, draining, pid }) => (role === "worker" && !draining ? [pssMegabytes(pid)] : []));
}

export async function newHosts(served: Served, first: number): Promise<number[]> {
  const tookMs: number[] = [];
  for (let at = first; at < first + births; at++) {
    const text = fileOf([ingress(at), service(at), slice(at, [endpoint.address], endpoint.port)]);
    const since = performance.now();
    served.write(`born-${at}.yaml`, text);
    await answered(served, hostOf(at));
    tookMs.push(performance.now() - since);
  }
  return tookMs;
}

/**
 * Returns the time of nginx's test and reload for each of some hosts with settings of their own.
 */
async function newShapes(served: Served, first: number): Promise<number[]> {
  const before = reloadsOf(served).length;
  for (let at = 0; at < reloads; at++) {
    const annotations = { "nginx.ingress.kubernetes.io/client-body-buffer-size": `${1_000 + at}k` };
    served.write(`shape-${at}.yaml`, fileOf([ingress(first + at, { annotations })]));
    await until("a reload", () => reloadsOf(served).length > before + at, 120_000);
  }
  return reloadsOf(served).slice(before);
}

/** Returns the time of each reload so far, in ms. */
export function reloadsOf(served: Served): number[] {
  const lines = served.lines().filter(({ msg }) => msg === "applied with a reload");
  return lines.map(({ reload }) => Number.parseFloat(String(reload)));
}

/**
 * Sends requests to all hosts. A worker's cache of hosts is part of its memory, so each host gets
 * enough requests to reach almost every worker.
 */
async function meetAll(served: Served, hosts: number): Promise<void> {
  for (let round = 0; round < 4; round++)
    for (let at = 0; at < hosts; at += Math.max(1, Math.floor(hosts / boundAt))) await answered(served, hostOf(at));
}

export async function answered(served: Served, host: string): Promise<void> {
  while ((await served.ask(host)).status !== 200) {}
}
