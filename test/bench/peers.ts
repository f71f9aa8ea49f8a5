/**
 * Compares Sluice with ingress-nginx and Traefik on one machine in one run, each with its defaults
 * and an access log, beside a real API server: start, memory, CPU of a request, a new host, and a
 * change of endpoints. `support/peers.ts` says how the other controllers are named; without them
 * only Sluice is measured.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { makeCertificate } from "../../src/edges/admission/own-certificate.ts";
import { request } from "../nginx/support/request.ts";
import { type Figure, lineOf } from "./measured.ts";
import { type FilledCluster, host, inParallel, startFilledCluster } from "./support/cluster.ts";
import { compiled } from "./support/compiled.ts";
import { cpuMsWithEnded, pssMegabytes } from "./support/cpu.ts";
import { backend, handWritten, pairIn, startNginx } from "./support/hand-written.ts";
import { hostOf, slice } from "./support/hosts.ts";
import { openLoad } from "./support/load.ts";
import { otherPeers, type Peer, type Running, sluicePeer } from "./support/peers.ts";
import { sizesOr } from "./support/sizes.ts";

const backendPort = 8_080;
const [first, second] = ["192.0.2.11", "192.0.2.12"];
const [handHttp, handHttps] = [21_951, 21_952];
const requestsEach = 5_000;
const rounds = 3;
/** Tries of a change. There are fewer if they would take longer than this in total. */
const tries = 3;
const longMs = 60_000;
/** The time after a start until memory is measured. */
const quietMs = 10_000;
/** The time after a change in which its work ends; each controller may also limit its rate. */
const settleMs = 3_000;

export async function peers(): Promise<Figure[]> {
  const answer = backend([first!, second!], backendPort).replace('"ok\\n"', '"$server_addr\\n"');
  const backends = await startNginx(answer);
  const compared = [sluicePeer(await compiled()), ...otherPeers()];
  const filled = await startFilledCluster();
  const figures: Figure[] = [];
  try {
    let made = 0;
    for (const hosts of sizesOr([1_000, 10_000])) {
      const missing = Array.from({ length: hosts - made }, (_, at) => made + at);
      await inParallel(missing, 20, (at) => filled.create(...host(at, { address: first!, port: backendPort })));
      made = hosts;
      figures.push({ what: "by hand: CPU of a request", hosts, unit: "us", values: await byHand(hosts) });
      for (const peer of compared) {
        const found = await measured(peer, { filled, hosts, born: made });
        made += tries;
        const named = found.map((figure) => ({ ...figure, what: `${peer.name}: ${figure.what}`, hosts }));
        // A whole run takes many minutes, and the page gets its figures at the end.
        for (const figure of named) console.error(lineOf(figure));
        figures.push(...named);
      }
    }
  } finally {
    await filled.stop();
    await backends.stop();
  }
  return figures;
}

interface Among {
  readonly filled: FilledCluster;
  readonly hosts: number;
  /** The first number of a host that does not exist. */
  readonly born: number;
}

async function measured(peer: Peer, { filled, hosts, born }: Among): Promise<Figure[]> {
  const last = hosts - 1;
  const begun = performance.now();
  const running = await peer.start({ cluster: filled.cluster, serves: async () => (await ask(last)).status === 200 });
  const started = (performance.now() - begun) / 1000;
  const cpu = cpuMsWithEnded(running.pids()) / 1000;
  await delay(quietMs);
  const quiet = memoryOf(running);
  const costs = await costsOf(80, hosts, () => running.pids());
  const busy = memoryOf(running);
  const live = await changes(running, async (at) => {
    await filled.create(...host(born + at, { address: first!, port: backendPort }));
    return async () => (await ask(born + at)).status === 200;
  });
  const moved = await changes(running, async (at) => {
    await filled.replace(slice(at, [second!], backendPort));
    return async () => (await ask(at)).body.startsWith(second!);
  });
  await running.end();
  for (let at = 0; at < tries; at++) await filled.replace(slice(at, [first!], backendPort));
  return [
    { what: "from the start to the last host's answer", unit: "s", values: [started] },
    { what: "CPU until then", unit: "s", values: [cpu] },
    { what: "memory of all processes (PSS), some seconds later", unit: "MB", values: [quiet] },
    { what: "memory of all processes (PSS), after requests for all hosts", unit: "MB", values: [busy] },
    { what: "CPU of a request", unit: "us", values: costs },
    { what: "a new host, from the API server's answer to its own", unit: "ms", values: live.tookMs },
    { what: "CPU for a new host", unit: "ms", values: [live.cpuMs] },
    { what: "changed endpoints, from the API server's answer to theirs", unit: "ms", values: moved.tookMs },
    { what: "CPU for changed endpoints", unit: "ms", values: [moved.cpuMs] },
  ];
}

interface Answer {
  readonly status: number;
  readonly body: string;
}

async function ask(at: number): Promise<Answer> {
  const asked = request({ to: "127.0.0.1:80", host: hostOf(at) });
  const { status, body } = await asked.catch(() => ({ status: 0, body: "" }));
  return { status, body: String(body) };
}

/** Makes some changes, and returns how long each took, and the CPU of one. */
async function changes(
  running: Running,
  make: (at: number) => Promise<() => Promise<boolean>>,
): Promise<{ tookMs: number[]; cpuMs: number }> {
  const tookMs: number[] = [];
  const begun = performance.now();
  const before = cpuMsWithEnded(running.pids());
  for (let at = 0; at < tries && performance.now() - begun < longMs; at++) {
    const isLive = await make(at);
    const since = performance.now();
    while (!(await isLive())) await delay(1);
    tookMs.push(performance.now() - since);
    await delay(settleMs);
  }
  return { tookMs, cpuMs: (cpuMsWithEnded(running.pids()) - before) / tookMs.length };
}

/** Returns the CPU of a request in microseconds, of all these processes, for each round. */
async function costsOf(port: number, hosts: number, pids: () => readonly number[]): Promise<number[]> {
  const names = Array.from({ length: hosts }, (_, at) => hostOf(at));
  const costs: number[] = [];
  // Each of two workers gets requests for every host in the first rounds.
  const warmUp = Math.ceil((2 * hosts) / requestsEach);
  for (let round = -warmUp; round < rounds; round++) {
    // nginx closes a connection after a thousand requests.
    const load = await openLoad({ protocol: "http", hosts: names, port }, 32);
    const before = cpuMsWithEnded(pids());
    await load.run(requestsEach);
    if (round >= 0) costs.push(((cpuMsWithEnded(pids()) - before) * 1000) / requestsEach);
    load.close();
  }
  return costs;
}

/** The same hosts in a hand-written nginx.conf. */
async function byHand(hosts: number): Promise<number[]> {
  const folder = mkdtempSync(join(tmpdir(), "sluice-bench-"));
  const pair = pairIn(folder, await makeCertificate(["example"], new Date()));
  const names = Array.from({ length: hosts }, (_, at) => hostOf(at));
  const listeners = { http: handHttp, https: handHttps, backend: `${first}:${backendPort}`, ...pair };
  const hand = await startNginx(handWritten({ hosts: names, ...listeners, keepalive: 320, services: false }));
  const costs = await costsOf(handHttp, hosts, () => hand.workers());
  await hand.stop();
  rmSync(folder, { recursive: true });
  return costs;
}

function memoryOf(running: Running): number {
  return running.pids().reduce((sum, pid) => sum + pssMegabytes(pid), 0);
}
