/**
 * Measures `sluice run` beside a real API server with 10, 1,000 and 10,000 hosts: the time of a
 * start, the time from the API server's answer to the first answer of a new host, the effect of 50
 * changes a second on requests, and the controller's memory.
 */
import { createServer } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { Sluice } from "../e2e/support/sluice.ts";
import { request } from "../nginx/support/request.ts";
import { until } from "../nginx/support/until.ts";
import type { Figure } from "./measured.ts";
import { type FilledCluster, host, inParallel, startFilledCluster } from "./support/cluster.ts";
import { compiled } from "./support/compiled.ts";
import { cpuMs, residentMegabytes } from "./support/cpu.ts";
import { hostOf, slice } from "./support/hosts.ts";
import { sizesOr } from "./support/sizes.ts";

const endpoint = { address: "192.0.2.11", port: 8_080 };
const births = 20;
const burstSeconds = 20;
const changesPerSecond = 50;
/** The time until the memory of a start, or of a busy time, is freed. */
const quietMs = 10_000;

export async function cluster(): Promise<Figure[]> {
  const backend = createServer((_request, response) => response.end("ok")).listen(endpoint.port, "0.0.0.0");
  const program = await compiled();
  const filled = await startFilledCluster();
  const figures: Figure[] = [];
  try {
    let hosts = 0;
    for (const size of sizesOr([10, 1_000, 10_000])) {
      const missing = Array.from({ length: size - hosts }, (_, at) => hosts + at);
      await inParallel(missing, 20, (at) => filled.create(...host(at, endpoint)));
      hosts = size;
      const { found, born } = await at(filled, hosts, program);
      figures.push(...found.map((figure) => ({ ...figure, hosts: size })));
      hosts += born;
    }
  } finally {
    await filled.stop();
    backend.close();
    backend.closeAllConnections();
  }
  return figures;
}

async function at(
  filled: FilledCluster,
  hosts: number,
  program: readonly string[],
): Promise<{ found: Figure[]; born: number }> {
  const sluice = new Sluice({ cluster: filled.cluster, program });
  const begun = performance.now();
  const starting = new AbortController();
  const early = notFoundUntil(hosts, starting.signal);
  await sluice.process.start();
  const ready = (performance.now() - begun) / 1000;
  starting.abort();
  const missing = (await early) + (await notFound(hosts));
  // nginx answers a moment before the controller reports that it is ready.
  const before = await until("the first reload in the log", () => reloads(sluice) || false);
  const written = await untilAddressesAreWritten(sluice, begun);
  await delay(quietMs);
  const quiet = residentMegabytes(sluice.process.pid!);
  const live: number[] = [];
  for (let at = hosts; at < hosts + births; at++) {
    await filled.create(...host(at, endpoint));
    const since = performance.now();
    while ((await status(at)) !== 200) {}
    live.push(performance.now() - since);
  }
  const cpuBefore = cpuMs(sluice.process.pid!);
  const burst = await underChanges(filled, hosts);
  const cpuEach = (cpuMs(sluice.process.pid!) - cpuBefore) / (burstSeconds * changesPerSecond);
  const reloaded = reloads(sluice) - before;
  await delay(quietMs);
  const memory = residentMegabytes(sluice.process.pid!);
  await sluice.end();
  const large = hosts === 10_000;
  const bound = memoryBounds[hosts];
  const memoryBound = bound === undefined ? {} : { bound };
  const found: Figure[] = [
    { what: "from the start to ready", unit: "s", values: [ready], ...(large ? { bound: 10 } : {}) },
    { what: "reloads until then", unit: "", values: [before], bound: 1 },
    {
      what: "requests for hosts that exist answered with 404, from the first answer on",
      unit: "",
      values: [missing],
      bound: 0,
    },
    { what: "from the start until the address is in the status of every Ingress", unit: "s", values: [written] },
    { what: "a new host, from the API server's answer to its own", unit: "ms", values: live, bound: 100 },
    {
      what: `requests that failed during ${changesPerSecond} changes a second`,
      unit: "",
      values: [burst.failed],
      bound: 0,
    },
    { what: "the last change live after the end", unit: "s", values: [burst.seconds], bound: 2 },
    { what: "the controller's CPU for one of those changes", unit: "ms", values: [cpuEach], bound: 20 },
    { what: "reloads meanwhile", unit: "", values: [reloaded], bound: 0 },
    { what: "the controller's memory (RSS) some seconds after the start", unit: "MB", values: [quiet], ...memoryBound },
    {
      what: "the controller's memory (RSS) some seconds after those changes",
      unit: "MB",
      values: [memory],
      ...memoryBound,
    },
  ];
  return { found, born: births };
}

/**
 * In seconds. At its very first start the controller writes each status once, and the API server
 * has time for little else.
 */
async function untilAddressesAreWritten(sluice: Sluice, begun: number): Promise<number> {
  const areWritten = () => sluice.log.includes('"the status of Ingresses was written"');
  await until("the addresses to be written", areWritten, 300_000);
  return (performance.now() - begun) / 1000;
}

/** Bounds for the memory by the number of hosts. */
const memoryBounds: Readonly<Record<number, number>> = { 10: 100, 1000: 130, 10000: 230 };

/**
 * Returns the share of requests that get 404, from before nginx listens until it serves all hosts.
 */
async function notFoundUntil(hosts: number, end: AbortSignal): Promise<number> {
  let missing = 0;
  for (let at = 0; !end.aborted; at++) {
    if ((await status((at * 13) % hosts).catch(() => 0)) === 404) missing++;
    await delay(10);
  }
  return missing;
}

async function notFound(hosts: number): Promise<number> {
  let missing = 0;
  for (let at = 0; at < hosts; at += Math.max(1, Math.floor(hosts / 500))) if ((await status(at)) === 404) missing++;
  return missing;
}

/**
 * Changes routes and endpoints of existing hosts in turn, while clients request other paths of
 * these hosts.
 */
async function underChanges(filled: FilledCluster, hosts: number): Promise<{ failed: number; seconds: number }> {
  let failed = 0;
  const stop = new AbortController();
  const traffic = (async () => {
    for (let at = 0; !stop.signal.aborted; at++) {
      if ((await status((at * 13) % hosts).catch(() => 0)) !== 200) failed++;
      await delay(5);
    }
  })();
  const begun = performance.now();
  for (let change = 0; change < burstSeconds * changesPerSecond; change++) {
    const at = (change * 7) % hosts;
    if (change % 2 === 0) await filled.replace(slice(at, [`192.0.2.${11 + (change % 90)}`], endpoint.port));
    else await filled.addPath(at, `/more-${change}`);
    const due = begun + (change + 1) * (1000 / changesPerSecond);
    if (due > performance.now()) await delay(due - performance.now());
  }
  await filled.create(...host(1_000_000 + hosts, endpoint));
  const ended = performance.now();
  while ((await status(1_000_000 + hosts)) !== 200) {}
  const seconds = (performance.now() - ended) / 1000;
  stop.abort();
  await traffic;
  return { failed, seconds };
}

async function status(at: number): Promise<number> {
  return (await request({ to: "127.0.0.1:80", host: hostOf(at), path: "/" })).status;
}

function reloads(sluice: Sluice): number {
  return sluice.log.split("\n").filter((line) => line.includes('"applied with a reload"')).length;
}
