/**
 * Random faults of the API server, of the machine and of the disk, together, while objects change
 * and every answer is checked (`checked-hosts.ts`). After each round the controller is ready again
 * and each host answers as its objects say. `npm run soak faults` goes on for minutes.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { execa } from "execa";
import { load } from "js-yaml";
import { afterAll, beforeAll, expect, test } from "vitest";
import { pathsOf } from "../../src/nginx/index.ts";
import { nginxProcesses } from "../../src/nginx/process/processes.ts";
import { corrupted } from "../nginx/support/corrupted.ts";
import { request } from "../nginx/support/request.ts";
import { until } from "../nginx/support/until.ts";
import { Chance } from "../support/chance.ts";
import { CheckedHosts } from "./support/checked-hosts.ts";
import { type Cluster, startCluster } from "./support/cluster.ts";
import { FaultyApi, httpFaults } from "./support/faulty-api.ts";
import { type Fault, FaultyProxy } from "./support/faulty-proxy.ts";
import { foreignBytes } from "./support/foreign-bytes.ts";
import { installPod, Sluice } from "./support/sluice.ts";

/** Without minutes there are as many rounds as it takes to have each fault once. */
const minutes = Number(process.env.FAULT_MINUTES ?? 0);
const seed = Number(process.env.FAULT_SEED ?? (minutes === 0 ? 1 : Date.now() % 1e9));
const chance = new Chance(seed);

let cluster: Cluster;
let proxy: FaultyProxy;
let api: FaultyApi;
let hosts: CheckedHosts;
let sluice: Sluice;
let run: string;
let running: Promise<void>;
/** Whether this test has killed the controller, so that it may have ended. */
let isKilled = false;
let [going, starts] = [true, 0];
/** The next start waits for it. */
let gate: Promise<void> = Promise.resolve();
const endings: string[] = [];

beforeAll(async () => {
  cluster = await startCluster();
  await installPod(cluster);
  const { hostname, port } = new URL(cluster.url);
  proxy = new FaultyProxy({ host: hostname, port: Number(port) });
  api = new FaultyApi({ url: await proxy.listen("127.0.0.1"), authority: cluster.authority });
  sluice = new Sluice({ cluster, flags: [`--apiserver-host=${await api.listen("127.0.0.1")}`] });
  run = join(sluice.folder, "run");
  mkdirSync(run);
  await execa("mount", ["-t", "tmpfs", "-o", "size=12m,mode=700", "tmpfs", run]);
  hosts = await CheckedHosts.open(cluster, chance);
});
afterAll(async () => {
  going = false;
  await hosts?.close();
  await sluice?.process.stop("SIGKILL");
  await running;
  killAll("nginx");
  await until("nginx is gone", () => processes().length === 0);
  await execa("umount", ["--lazy", "--recursive", run], { reject: false });
  await sluice?.end();
  await api?.close();
  await proxy?.close();
  await cluster?.stop();
});

/** Starts the controller again whenever it has ended, as a kubelet does. */
async function keepRunning(): Promise<void> {
  while (going) {
    await gate;
    starts++;
    isKilled = false;
    await sluice.process.start().catch(() => {});
    const code = await sluice.process.ended();
    if (going && !isKilled && disk === undefined) endings.push(`ended by itself with ${code}`);
  }
}

/**
 * Processes that are gone when a round is over. Workers without a master answer until the next
 * master takes their place, and a controller may be ready for a moment after its SIGTERM.
 */
let ending: readonly number[] = [];
const haveEnded = () => ending.every((pid) => !existsSync(`/proc/${pid}`));

const processes = () => nginxProcesses(pathsOf(run));
function killOne(role: string): void {
  const all = processes();
  const [found] = all.filter((process) => process.role === role);
  ending = all.filter((one) => role === "master" || one === found).map(({ pid }) => pid);
  if (found !== undefined) process.kill(found.pid, "SIGKILL");
}
function killAll(what: "nginx" | "both"): void {
  if (what === "both") killController("SIGKILL");
  for (const { pid } of processes()) process.kill(pid, "SIGKILL");
}
function killController(signal: NodeJS.Signals): void {
  isKilled = true;
  // While it is being started again, there may be none.
  const { pid } = sluice.process;
  if (pid === undefined) return;
  ending = [pid, ...(signal === "SIGTERM" ? processes().map((one) => one.pid) : [])];
  sluice.process.signal(signal);
}

/** Ends controller and nginx, does `work`, and lets the controller start. */
async function whileDown(work: () => void): Promise<void> {
  const opened = Promise.withResolvers<void>();
  gate = opened.promise;
  try {
    killAll("both");
    await until("no nginx", () => {
      killAll("nginx");
      return processes().length === 0;
    });
    work();
  } finally {
    opened.resolve();
  }
}

interface Trouble {
  readonly begin: () => unknown;
  readonly end?: () => unknown;
  /** See `Round`. */
  readonly interrupts?: true;
}
type Troubles = Readonly<Record<string, Trouble>>;

const connection = (fault: Fault, cuts = false): Trouble => ({
  begin: () => {
    proxy.fault = fault;
    if (cuts) proxy.cut();
  },
  end: () => {
    proxy.fault = { kind: "none" };
  },
});

const ofTheApi: Troubles = {
  ...Object.fromEntries(
    httpFaults.map((fault): [string, Trouble] => [
      `API answers: ${fault}`,
      {
        begin: () => {
          api.fault = fault;
          api.cut();
        },
        end: () => {
          api.fault = undefined;
        },
      },
    ]),
  ),
  ...Object.fromEntries(
    foreignBytes(chance).map(([what, , bytes]): [string, Trouble] => [
      `watches: ${what}`,
      { begin: () => api.inject(bytes) },
    ]),
  ),
  "API connections: cut": { begin: () => proxy.cut() },
  "API connections: stall": connection({ kind: "stall" }),
  "API connections: delay": connection({ kind: "delay", ms: 300 }),
  "API connections: corrupt": connection({ kind: "corrupt" }),
  "API connections: refuse": connection({ kind: "refuse" }, true),
  "API server: killed": {
    begin: () => cluster.apiServer.stop("SIGKILL"),
    end: () => cluster.apiServer.start(),
  },
};

const filler = () => join(run, "filler");
const ofTheDisk: Troubles = {
  "disk: read-only": {
    begin: async () => {
      await execa("mount", ["--bind", run, run]);
      await execa("mount", ["-o", "remount,ro,bind", run]);
    },
    end: () => execa("umount", ["--lazy", run]),
  },
  "disk: full": {
    begin: () => {
      try {
        for (let kilobytes = 1_024; kilobytes > 0; ) {
          try {
            writeFileSync(filler(), Buffer.alloc(kilobytes * 1_024, 1), { flag: "a" });
          } catch {
            kilobytes >>= 1;
          }
        }
      } catch {}
    },
    end: () => rmSync(filler(), { force: true }),
  },
};

/** Sets how many descriptors the controller may have: those that it has, or as many as before. */
const descriptors = (limit: string) =>
  execa("prlimit", [`--pid=${sluice.process.pid}`, `--nofile=${limit}`], { reject: false });

const ofTheMachine: Troubles = {
  "a worker is killed": { begin: () => killOne("worker"), interrupts: true },
  "the master is killed": { begin: () => killOne("master"), interrupts: true },
  "the controller is killed": { begin: () => killController("SIGKILL") },
  "the controller ends and starts": { begin: () => killController("SIGTERM"), interrupts: true },
  "everything is killed": { begin: () => whileDown(() => {}), interrupts: true },
  "everything is killed, and the journal damaged": {
    begin: () =>
      whileDown(() => {
        const { journal } = pathsOf(run);
        if (disk === undefined) writeFileSync(journal, corrupted(readFileSync(journal), chance).bytes);
      }),
    interrupts: true,
  },
  "the controller has no descriptors left": { begin: () => descriptors("20:"), end: () => descriptors("4096:") },
};

/** The trouble of the disk in this round. */
let disk: string | undefined;

const happened = new Map<string, number>();
function count(what: string): void {
  happened.set(what, (happened.get(what) ?? 0) + 1);
}

/** Returns a function that draws each of these names once before any of them comes again. */
function drawing(troubles: Troubles): () => string {
  let left: string[] = [];
  return () => {
    if (left.length === 0) left = shuffled(Object.keys(troubles));
    return left.pop()!;
  };
}
function shuffled(names: readonly string[]): string[] {
  return names
    .map((name) => [chance.share(), name] as const)
    .sort(([a], [b]) => a - b)
    .map(([, name]) => name);
}

const isReady = async () => (await sluice.health()) === 200;

interface ChartValues {
  readonly controller: Readonly<
    Record<"livenessProbe" | "readinessProbe", { readonly httpGet: { readonly path: string; readonly port: number } }>
  >;
}
const chart = readFileSync(join(import.meta.dirname, "../../charts/sluice/values.yaml"), "utf8");
const { livenessProbe, readinessProbe } = (load(chart) as ChartValues).controller;

/** Returns the statuses that the chart's probes get: alive, and ready. */
const probed = () =>
  Promise.all(
    [livenessProbe, readinessProbe].map(async ({ httpGet: { path, port } }) => {
      const answer = await request({ to: `127.0.0.1:${port}`, path }).catch(() => undefined);
      return answer?.status;
    }),
  );

test("a first start without the API server is alive and not ready, and is ready when the server is back", async () => {
  proxy.fault = { kind: "refuse" };
  running = keepRunning();
  await until("the probes are answered", async () => (await sluice.health()) !== undefined);
  await until("the API server is missed", () => sluice.log.includes("the last state is still served"));
  expect(await probed()).toEqual([200, 500]);
  proxy.fault = { kind: "none" };
  await until("it is ready", isReady);
  expect(await hosts.areRight()).toBe(true);
  expect([...(await probed()), starts]).toEqual([200, 200, 1]);
});

test(`after random faults of API server, machine and disk no answer was wrong, and all are right`, {
  timeout: (minutes + 15) * 60_000,
}, async () => {
  console.log(`seed ${seed}: FAULT_SEED=${seed} makes the same faults again`);
  const [apis, machines, disks] = [drawing(ofTheApi), drawing(ofTheMachine), drawing(ofTheDisk)];
  const deadline = performance.now() + minutes * 60_000;
  let slowest = { ms: 0, what: "" };
  for (let round = 0; round < Object.keys(ofTheApi).length || performance.now() < deadline; round++) {
    const apiName = apis();
    const machineName = chance.share() < 0.7 ? machines() : undefined;
    disk = chance.share() < 0.4 ? disks() : undefined;
    const names = [disk, apiName, machineName].filter((name) => name !== undefined);
    const what = `${round}: ${names.join("; ")}`;
    console.log(what);
    for (const name of names) count(name);
    const troubles = [ofTheDisk, ofTheApi, ofTheMachine].flatMap((all, at) => {
      const name = [disk, apiName, machineName][at];
      return name === undefined ? [] : [all[name]!];
    });
    const interrupts = troubles.some((trouble) => trouble.interrupts === true);
    hosts.expect({ what, interrupts, forgets: interrupts && disk !== undefined });
    for (const { begin } of troubles) {
      await begin();
      await hosts.change().catch((error: Error) => {
        if (apiName !== "API server: killed") throw error;
      });
      await delay(chance.below(700));
    }
    for (const { end } of shuffled(Object.keys(troubles)).map((at) => troubles[Number(at)]!)) await end?.();
    if (apiName === "API server: killed") await hosts.writeAgain();
    const healed = performance.now();
    disk = undefined;
    const printed = () => `right answers after: ${what}\n${sluice.log.split("\n").slice(-15).join("\n")}`;
    await until(printed, async () => haveEnded() && (await hosts.areRight()) && isReady(), 120_000);
    ending = [];
    const ms = Math.round(performance.now() - healed);
    if (ms > slowest.ms) slowest = { ms, what };
    hosts.expect({ what: `after ${what}`, interrupts: false, forgets: false });
  }

  console.table(Object.fromEntries([...happened].sort()));
  console.log(
    `${hosts.count} answers were checked: ${JSON.stringify(Object.fromEntries(hosts.answers))}; ${starts} starts`,
  );
  console.log(`the slowest recovery took ${slowest.ms} ms, after ${slowest.what}`);
  expect([...hosts.wrong].map(([why, times]) => `${times} × ${why}`).slice(0, 20)).toEqual([]);
  expect(endings).toEqual([]);
  expect(readFileSync(sluice.process.logFile, "utf8")).not.toMatch(/this is a bug|unhandled|TypeError/i);
  expect(hosts.answers.get("200")).toBeGreaterThan(1_000);
});
