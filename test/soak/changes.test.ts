/**
 * Runs a controller under random changes and traffic for `SOAK_MINUTES` (20). No figure may grow
 * after the first minutes, unchanged hosts must answer all the time, and in the end each host must
 * answer as its objects say. Run it by `npm run soak changes`; `SOAK_SEED` repeats a run.
 */
import { createServer, type Server } from "node:http";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Client, kubeConfigCredentials } from "../../src/kube/index.ts";
import { inParallel } from "../bench/support/cluster.ts";
import { hostOf } from "../bench/support/hosts.ts";
import { type Cluster, startCluster } from "../e2e/support/cluster.ts";
import { put, remove } from "../e2e/support/put.ts";
import { installPod, Sluice } from "../e2e/support/sluice.ts";
import { request } from "../nginx/support/request.ts";
import { program } from "../nginx/support/serve.ts";
import { steadyTraffic } from "../nginx/support/steady-traffic.ts";
import { until } from "../nginx/support/until.ts";
import { Chance } from "../support/chance.ts";
import { grows, lineThrough } from "../support/line.ts";
import { type Figures, figuresOf, tolerated } from "./figures.ts";
import { inspected, LiveObjects } from "./live-objects.ts";
import { backendPort, Shop, settingsName, steadyPlaces } from "./shop.ts";

const minutes = Number(process.env.SOAK_MINUTES ?? 20);
const seed = Number(process.env.SOAK_SEED ?? Math.floor(Math.random() * 2 ** 31));
const to = "127.0.0.1:80";
const changeEveryMs = 200;
const lookEveryMs = 4_000;
/** The time until compilers and caches are warm; figures before it do not count. */
const warmMs = Math.min(5, minutes / 3) * 60_000;

let cluster: Cluster;
let client: Client;
let sluice: Sluice;
let backend: Server;

beforeAll(async () => {
  cluster = await startCluster();
  await installPod(cluster);
  await cluster.kubectl(["create", "namespace", "shop"]);
  client = new Client(await kubeConfigCredentials([cluster.kubeconfig()]));
  backend = createServer({ keepAliveTimeout: 600_000 }, (_request, response) => response.end("ok"));
  await new Promise<void>((resolve) => backend.listen(backendPort, "0.0.0.0", resolve));
  const flags = ["--enable-metrics", `--configmap=${settingsName.namespace}/${settingsName.name}`];
  sluice = new Sluice({ cluster, flags, program: [...inspected, program] });
});
afterAll(async () => {
  await sluice?.end();
  client?.close();
  backend?.close();
  backend?.closeAllConnections();
  await cluster?.stop();
});

/** Makes changes until `end` is aborted, and returns the number of changes by sort. */
async function change(shop: Shop, end: AbortSignal): Promise<Map<string, number>> {
  const made = new Map<string, number>();
  for (let due = performance.now(); !end.aborted; due += changeEveryMs) {
    const step = shop.step();
    for (const object of step.put) await put(client, object);
    for (const object of step.gone) await remove(client, object);
    made.set(step.what, (made.get(step.what) ?? 0) + 1);
    await delay(Math.max(0, due - performance.now()));
  }
  return made;
}

interface Look {
  readonly atMs: number;
  readonly figures: Figures;
}

async function look(lastMs: number): Promise<Look[]> {
  const looks: Look[] = [];
  const live = await LiveObjects.open();
  const begun = performance.now();
  for (let atMs = 0; atMs < lastMs; atMs = performance.now() - begun) {
    const figures = await figuresOf(sluice.process.pid!, join(sluice.folder, "run"), live);
    if (figures !== undefined) looks.push({ atMs, figures });
    await delay(lookEveryMs);
  }
  live.close();
  return looks;
}

test(`nothing grows in ${minutes} minutes of random changes`, { timeout: (minutes + 5) * 60_000 }, async () => {
  console.log(`SOAK_SEED=${seed}`);
  const shop = await Shop.open(new Chance(seed));
  await inParallel(shop.first(), 10, (object) => put(client, object));
  await sluice.process.start();
  const steady = Array.from({ length: steadyPlaces }, (_, at) => ({ to, host: hostOf(at) }));
  for (const asked of steady) await until(asked.host, async () => (await request(asked)).status === 200);

  const controller = sluice.process.pid;
  const traffic = steadyTraffic(steady, 4, 20);
  const ending = new AbortController();
  const changing = change(shop, ending.signal);
  const looks = await Promise.race([look(minutes * 60_000), changing.then(() => [])]);
  ending.abort();
  console.log(Object.fromEntries(await changing));
  await traffic.end();

  const names = Object.keys(tolerated) as (keyof Figures)[];
  const warm = looks.filter(({ atMs }) => atMs > warmMs);
  const lines = names.map((name) => {
    const line = lineThrough(warm.map(({ atMs, figures }) => [atMs, figures[name]]));
    const [least, most] = [Math.min, Math.max].map((of) => of(...warm.map(({ figures }) => figures[name])));
    return { name, ...line, least, most, grows: grows(line, tolerated[name]) };
  });
  console.table(Object.fromEntries(lines.map(({ name, ...line }) => [name, line])));
  expect(lines.filter((line) => line.grows).map(({ name }) => name)).toEqual([]);
  expect(sluice.process.pid).toBe(controller);
  expect([...traffic.answers.keys()]).toEqual(["200"]);
  const reloads = sluice.log.split("\n").filter((line) => line.includes('"applied with a reload"')).length;
  expect(reloads).toBeGreaterThan(minutes);
  expect(sluice.log).toContain("nginx refuses it");

  for (const [host, status] of shop.answers()) {
    const asked = async () => (await request({ to, host })).status;
    await until(`${host} to answer ${status}`, async () => (await asked()) === status, 30_000);
  }
});
