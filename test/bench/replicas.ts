/**
 * Measures the cost of replicas for the API server: with 10,000 hosts a first one starts, then two
 * more, then seven more, each with its own nginx. All connections of a replica go through a relay
 * that counts bytes. The API server itself counts watches and requests; its own ones are
 * subtracted, and so is the CPU that it takes anyhow. If BENCH_INGRESS_NGINX names a program
 * (support/peers.ts), one replica of ingress-nginx comes last. It starts several times, because
 * some starts meet a garbage collection of the API server, which takes longer than the start.
 */
import { setTimeout as delay } from "node:timers/promises";
import { type Relay, relayTo } from "../e2e/support/relay.ts";
import { installPod, Sluice } from "../e2e/support/sluice.ts";
import { request } from "../nginx/support/request.ts";
import { until } from "../nginx/support/until.ts";
import type { Figure } from "./measured.ts";
import { type FilledCluster, host, inParallel, startFilledCluster } from "./support/cluster.ts";
import { compiled } from "./support/compiled.ts";
import { cpuMs } from "./support/cpu.ts";
import { hostOf } from "./support/hosts.ts";
import { otherPeers } from "./support/peers.ts";
import { sizesOr } from "./support/sizes.ts";

const endpoint = { address: "192.0.2.11", port: 8_080 };
const replicas = [1, 3, 10];
const startsOfOther = 7;
/** The most that a further replica may cost, as a part of what a start of ingress-nginx costs. */
const mostOfOther = 0.5;
/** The time of counting while nothing changes. */
const quietMs = 30_000;
/**
 * The most requests while nothing changes: some for the Lease, and some for watches that end and
 * begin again.
 */
const mostQuietRequests = 60;

interface Replica {
  readonly sluice: Sluice;
  readonly relay: Relay;
}

export async function replicaCosts(): Promise<Figure[]> {
  const program = await compiled();
  const filled = await startFilledCluster();
  const figures: Figure[] = [];
  const running: Replica[] = [];
  try {
    let hosts = 0;
    for (const size of sizesOr([10_000])) {
      const missing = Array.from({ length: size - hosts }, (_, at) => hosts + at);
      await inParallel(missing, 20, (at) => filled.create(...host(at, endpoint)));
      hosts = size;
      const cpu = new CpuOf(filled.cluster.apiServer.pid!);
      const alone = await requestsAMinute(filled);
      cpu.setIdle();
      let further = 0;
      for (const count of replicas) {
        const found = await upTo(count, { running, filled, program, alone, cpu });
        further = found.cpuMs;
        figures.push(...found.figures.map((figure) => ({ ...figure, hosts })));
      }
      await endAll(running);
      figures.push(...(await besideOther(filled, hosts, cpu, further)));
    }
  } finally {
    await endAll(running);
    await filled.stop();
  }
  return figures;
}

/** The CPU that a process takes more than when it was idle. */
class CpuOf {
  readonly #pid: number;
  #since: { readonly cpuMs: number; readonly at: number };
  #idle = 0;

  constructor(pid: number) {
    this.#pid = pid;
    this.#since = this.#now();
  }

  /** Takes the time since the start, in which nothing happened, as idle. */
  setIdle(): void {
    const { cpuMs: before, at } = this.#since;
    const now = this.#now();
    this.#idle = (now.cpuMs - before) / (now.at - at);
  }

  start(): void {
    this.#since = this.#now();
  }

  /** Returns the ms since `start`. */
  taken(): number {
    const now = this.#now();
    return now.cpuMs - this.#since.cpuMs - this.#idle * (now.at - this.#since.at);
  }

  #now() {
    return { cpuMs: cpuMs(this.#pid), at: performance.now() };
  }
}

/**
 * Returns what one replica of ingress-nginx costs, if the environment names it. The addresses
 * are in all statuses already. `further` is what a further replica of Sluice took, in ms.
 */
async function besideOther(filled: FilledCluster, hosts: number, cpu: CpuOf, further: number): Promise<Figure[]> {
  const other = otherPeers().find(({ name }) => name === "ingress-nginx");
  if (other === undefined) return [];
  const starts: { readonly cpu: number; readonly brought: number }[] = [];
  let watches = 0;
  for (let start = 0; start < startsOfOther; start++) {
    const relay = await relayTo({ host: "192.0.2.1", port: 6443 });
    const server = `https://127.0.0.1:${relay.port}`;
    const before = await countsOf(filled);
    const answers = () =>
      request({ to: "127.0.0.1:80", host: hostOf(hosts - 1) }).then(
        ({ status }) => status !== 404,
        () => false,
      );
    cpu.start();
    const running = await other.start({ cluster: filled.cluster, serves: answers, server });
    starts.push({ cpu: cpu.taken(), brought: relay.received() / 2 ** 20 });
    watches = (await countsOf(filled)).watches - before.watches;
    await running.end();
    await relay.end();
  }
  const took = starts.map((one) => one.cpu);
  const mean = took.reduce((sum, one) => sum + one, 0) / took.length;
  const name = "ingress-nginx, 1 replica";
  const figures: Figure[] = [
    { what: `${name}: watches`, values: [watches], unit: "" },
    { what: `${name}: brought at its start`, values: [starts[0]!.brought], unit: "MB" },
    { what: `${name}: the API server's CPU for its start, mean of ${startsOfOther}`, values: [mean], unit: "ms" },
    {
      what: "a further replica of Sluice, as a part of that CPU",
      values: [further / mean],
      unit: "",
      bound: mostOfOther,
    },
  ];
  return figures.map((figure) => ({ ...figure, hosts }));
}

interface Round {
  readonly running: Replica[];
  readonly filled: FilledCluster;
  readonly program: readonly string[];
  /** Requests that the API server has in a minute without replicas. */
  readonly alone: number;
  readonly cpu: CpuOf;
}

async function endAll(running: Replica[]): Promise<void> {
  for (const { sluice, relay } of running.splice(0)) {
    await sluice.end();
    await relay.end();
  }
}

/**
 * Starts as many as are missing, one after the other. Returns what each of them took of the API
 * server's CPU as well.
 */
async function upTo(count: number, round: Round): Promise<{ readonly figures: Figure[]; readonly cpuMs: number }> {
  const { running, filled, program, alone, cpu } = round;
  const before = await countsOf(filled);
  const started: Replica[] = [];
  cpu.start();
  for (let at = running.length; at < count; at++) {
    const replica = await startedAs(at, filled, program);
    started.push(replica);
    running.push(replica);
  }
  await until("the addresses to be written", () => areWritten(running[0]!.sluice), 600_000);
  const took = cpu.taken() / started.length;
  const after = await countsOf(filled);
  await untilEventsAreWritten(filled);
  const brought = started.map(({ relay }) => relay.received() / 2 ** 20);
  const quiet = (await requestsAMinute(filled)) - alone;
  const watches = (after.watches - before.watches) / started.length;
  const writes = after.statusWrites - before.statusWrites;
  const among = `${count} ${count === 1 ? "replica" : "replicas"}`;
  const figures: Figure[] = [
    { what: `${among}: watches of each new one`, unit: "", values: [watches] },
    { what: `${among}: brought to each new one at its start`, unit: "MB", values: brought },
    {
      what: `${among}: the API server's CPU for each new start`,
      unit: "ms",
      values: [took],
    },
    // The leader writes each status once, and others write none.
    { what: `${among}: writes of the status of Ingresses`, unit: "", values: [writes], ...noMore(count) },
    {
      what: `${among}: requests of each in a minute without changes`,
      unit: "",
      values: [quiet / count],
      bound: mostQuietRequests,
    },
  ];
  return { figures, cpuMs: took };
}

const noMore = (count: number): { readonly bound?: number } => (count === 1 ? {} : { bound: 0 });

async function startedAs(at: number, { cluster }: FilledCluster, program: readonly string[]): Promise<Replica> {
  const relay = await relayTo({ host: "192.0.2.1", port: 6443 });
  const pod = { namespace: "ingress-nginx", name: `controller-${at}` };
  if (at > 0) await installPod(cluster, pod);
  const base = 30_000 + 20 * at;
  const ports = ["http", "https", "status", "default-server", "name-check", "stream", "profiler"];
  const flags = ports.map((name, index) => `--${name}-port=${base + index}`);
  const healthPort = base + ports.length;
  const server = `https://127.0.0.1:${relay.port}`;
  const sluice = new Sluice({ cluster, program, pod, healthPort, server, flags });
  await sluice.process.start();
  return { sluice, relay };
}

function areWritten({ log }: Sluice): boolean {
  return log.includes('"the status of Ingresses was written"');
}

/** Waits until no more Events come. After a start the leader writes five a second. */
async function untilEventsAreWritten(filled: FilledCluster): Promise<void> {
  for (let before = -1; ; ) {
    const { events } = await countsOf(filled);
    if (events === before) return;
    before = events;
    await delay(3_000);
  }
}

/** Requests that the API server has in a minute, with those of this function. */
async function requestsAMinute(filled: FilledCluster): Promise<number> {
  const { requests } = await countsOf(filled);
  await delay(quietMs);
  return (((await countsOf(filled)).requests - requests) * 60_000) / quietMs;
}

interface Counts {
  readonly watches: number;
  readonly requests: number;
  readonly statusWrites: number;
  readonly events: number;
}

async function countsOf({ cluster }: FilledCluster): Promise<Counts> {
  const lines = (await cluster.kubectl(["get", "--raw", "/metrics"])).split("\n");
  const sum = (pattern: RegExp) =>
    lines.filter((line) => pattern.test(line)).reduce((all, line) => all + Number(line.split(" ").at(-1)), 0);
  return {
    watches: sum(/^apiserver_longrunning_requests\{.*verb="WATCH"/),
    requests: sum(/^apiserver_request_total\{/),
    events: sum(/^apiserver_request_total\{.*resource="events".*verb="(PATCH|POST)"/),
    statusWrites: sum(
      /^apiserver_request_total\{.*resource="ingresses".*subresource="status".*verb="(APPLY|PATCH|PUT)"/,
    ),
  };
}
