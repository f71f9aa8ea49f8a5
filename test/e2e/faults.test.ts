import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { ConfigMap } from "../../src/core/model/objects.ts";
import { configMaps as inProtobuf } from "../../src/edges/resources.ts";
import {
  Client,
  findCredentials,
  type Lister,
  type ReflectorEvent,
  type Resource,
  SharedInformer,
} from "../../src/kube/index.ts";
import { until } from "../nginx/support/until.ts";
import { Chance } from "../support/chance.ts";
import { liveBytes } from "../support/live-bytes.ts";
import { type Cluster, startCluster } from "./support/cluster.ts";
import { FaultyApi, type HttpFault, httpFaults } from "./support/faulty-api.ts";
import { FaultyProxy } from "./support/faulty-proxy.ts";
import { foreignBytes } from "./support/foreign-bytes.ts";
import { handles } from "./support/handles.ts";
import { configMap, configMaps } from "./support/objects.ts";

/** `FAULTS=200 FAULTS_SEED=7` makes more faults, and others; the same seed makes the same ones. */
const faults = Number(process.env.FAULTS ?? 20);
const seed = Number(process.env.FAULTS_SEED ?? 1);
const chance = new Chance(seed);
const never = new AbortController().signal;

let cluster: Cluster;
let proxy: FaultyProxy;
let api: FaultyApi;
let direct: Client;

beforeAll(async () => {
  cluster = await startCluster();
  const { hostname, port } = new URL(cluster.url);
  proxy = new FaultyProxy({ host: hostname, port: Number(port) });
  api = new FaultyApi(cluster);
  direct = await clientOf(cluster.url);
});
afterAll(async () => {
  direct?.close();
  await proxy?.close();
  await api?.close();
  await cluster?.stop();
});

async function clientOf(server: string): Promise<Client> {
  return new Client(await findCredentials({ kubeconfig: cluster.kubeconfig(), server, env: {} }), { timeoutMs: 2_000 });
}

/**
 * Runs an informer behind a fault. Its listener records the versions that were reported, and
 * impossible reports.
 */
async function watched(server: string, of: Resource<ConfigMap>) {
  const client = await clientOf(server);
  const stop = new AbortController();
  const events: ReflectorEvent[] = [];
  const believed = new Map<string, string>();
  const contradictions: string[] = [];
  const informer = new SharedInformer(client, of, {
    namespace: "default",
    // A test cannot wait minutes for the regular end of a watch, so it ends a silent watch earlier.
    inactivityMs: 3_000,
    report: (event) => events.push(event),
  });
  informer.subscribe(({ kind, object: { metadata } }) => {
    if ((kind === "added") === believed.has(metadata.name)) contradictions.push(`${kind} ${metadata.name}`);
    if (kind === "deleted") believed.delete(metadata.name);
    else believed.set(metadata.name, metadata.resourceVersion as string);
  });
  const ended = informer.run(stop.signal);
  await informer.synced;
  const count = (kind: ReflectorEvent["kind"]) => events.filter((event) => event.kind === kind).length;
  const end = async () => {
    stop.abort();
    await ended;
    client.close();
  };
  return { informer, believed, contradictions, count, end };
}

/** Returns the version that it created. */
async function changeSomething(round: number): Promise<string | undefined> {
  const name = `object-${round % 7}`;
  const object = configMap(name, { round: `${round}` });
  if (round % 5 === 4) await direct.delete(configMaps, { namespace: "default", name }, never);
  const created = await direct.create(configMaps, object, never);
  const written = created.ok ? created : await direct.update(configMaps, object, never);
  return written.ok ? written.value.metadata.resourceVersion : undefined;
}

const connectionFaults = ["cut", "stall", "delay", "corrupt", "refuse", "none"] as const;

function breakConnections(what: (typeof connectionFaults)[number]): void {
  if (what !== "cut") proxy.fault = what === "delay" ? { kind: what, ms: chance.share() * 500 } : { kind: what };
  if (what === "cut" || what === "refuse") proxy.cut();
}

/** Sets a wrong answer. Only new requests get it, so open watches are cut. */
function breakAnswers(fault: HttpFault): void {
  api.fault = fault;
  api.cut();
}

/**
 * Sets a fault on each way while objects change. It lasts until a request has got the wrong answer,
 * three seconds at most, and up to a second more. Then there is a pause until `seen` has the
 * changes, two seconds at most.
 */
async function breakThings(round: number, seen: Lister<ConfigMap>): Promise<void> {
  const connection = chance.oneOf(connectionFaults);
  breakConnections(connection);
  const [fault, met] = [chance.oneOf(httpFaults), api.met.length];
  breakAnswers(fault);
  await changeSomething(round);
  await until("a request meets the fault", () => api.met.length > met, 3_000).catch(() => {});
  await sleep(chance.share() * 1_000);
  const version = await changeSomething(round + 1);
  if (connection !== "corrupt") proxy.fault = { kind: "none" };
  api.fault = undefined;
  const isThere = () => [...seen.values()].some(({ metadata }) => metadata.resourceVersion === version);
  await until("the change is seen", isThere, 2_000).catch(() => {});
}

const versions = (objects: readonly ConfigMap[]) =>
  objects.map(({ metadata }) => [metadata.name, metadata.resourceVersion] as const).sort();

test(`after ${faults} random faults on two ways, in JSON and protobuf, the caches equal a fresh list and nothing has leaked`, {
  timeout: 120_000 + faults * 10_000,
}, async () => {
  await changeSomething(0);
  const before = handles();
  const behindApi = await api.listen("127.0.0.1");
  const connections = await watched(await proxy.listen("127.0.0.1"), inProtobuf);
  const answers = await watched(behindApi, configMaps);
  const binaryAnswers = await watched(behindApi, inProtobuf);
  const all = [connections, answers, binaryAnswers];
  let warmBytes = 0;
  for (let round = 0; round < faults; round += 1) {
    await breakThings(round, answers.informer.store);
    if (round === faults >> 1) warmBytes = await liveBytes();
  }

  const fresh = await direct.list(configMaps, { namespace: "default" }, never);
  const present = fresh.ok ? versions(fresh.value.items) : [];
  expect(present.length).toBeGreaterThan(0);
  for (const { informer, believed, contradictions } of all) {
    const seen = () => expect(versions([...informer.store.values()])).toEqual(present);
    await vi.waitFor(seen, { timeout: 90_000, interval: 100 });
    expect([...believed].sort()).toEqual(present);
    expect(contradictions).toEqual([]);
  }
  const grown = (await liveBytes()) - warmBytes;

  for (const { count } of all) {
    console.log(
      `${faults} faults: ${count("listed")} lists, ${count("watching")} watches, ${count("failed")} failures`,
    );
    expect(count("failed")).toBeGreaterThan(faults / 4);
  }
  const kinds = new Set(api.met);
  console.log(`${api.met.length} wrong answers: ${[...kinds].join(", ")}`);
  if (faults >= 100) expect(kinds.size).toBe(httpFaults.length);
  console.log(`${api.requests} requests; ${Math.round(grown / 1000)} kB more after the second half of the faults`);
  // A list after the first one needs a reason, and on this way the only reason is an answer of the
  // server.
  expect(connections.count("listed")).toBeLessThanOrEqual(1 + connections.count("version-lost"));
  const gone = api.met.filter((fault) => fault === "gone").length;
  expect(answers.count("listed")).toBeLessThanOrEqual(1 + gone);
  expect(binaryAnswers.count("listed")).toBeLessThanOrEqual(1 + gone);
  expect(api.requests).toBeLessThan(10 * faults);
  expect(grown).toBeLessThan(3_000_000);

  await Promise.all(all.map(({ end }) => end()));
  await vi.waitFor(async () => expect(proxy.open + (await api.open())).toBe(0), { timeout: 30_000 });
  await until("every handle is given back", () => {
    const { sockets, timers } = handles();
    return sockets <= before.sockets && timers <= before.timers;
  });
});

test.each(foreignBytes(chance))(
  "a watch in which %s stands in %s is opened again, and misses no change",
  async (_what, form, bytes) => {
    const garbling = new FaultyApi(cluster);
    const client = await clientOf(await garbling.listen("127.0.0.1"));
    const stop = new AbortController();
    const failures: { readonly broken: boolean; readonly denied: boolean; readonly retryMs: number }[] = [];
    const of = form === "JSON" ? configMaps : inProtobuf;
    const report = (event: ReflectorEvent) => {
      if (event.kind === "failed") failures.push(event);
    };
    const informer = new SharedInformer(client, of, { namespace: "default", streamingLists: false, report });
    const ended = informer.run(stop.signal);
    await informer.synced;
    await until("the watch gets the bytes", () => garbling.inject(bytes) > 0);
    await until("the watch has failed", () => failures.length > 0, 15_000);
    const version = await changeSomething(7);
    const isThere = () => [...informer.store.values()].some(({ metadata }) => metadata.resourceVersion === version);
    await until("the change is seen", isThere, 15_000);
    expect(failures[0]).toMatchObject({ denied: false });
    expect(failures[0]!.retryMs).toBeLessThan(2_000);
    stop.abort();
    await ended;
    client.close();
    await garbling.close();
  },
);

test("a watch that stalls without changes is noticed soon after the server should have ended it", async () => {
  const stalling = new FaultyProxy({ host: new URL(cluster.url).hostname, port: Number(new URL(cluster.url).port) });
  const client = await clientOf(await stalling.listen("127.0.0.1"));
  const stop = new AbortController();
  const lists: boolean[] = [];
  const failures: string[] = [];
  const informer = new SharedInformer(client, configMaps, {
    namespace: "default",
    // It is long enough for the watch that delivered the list to be open when the fault begins.
    watchSeconds: 3,
    report: (event) => {
      if (event.kind === "listed") lists.push(event.streamed);
      if (event.kind === "failed") failures.push(event.failure.reason);
    },
  });
  const ended = informer.run(stop.signal);
  await informer.synced;
  stalling.fault = { kind: "stall" };
  expect(lists).toEqual([true]);
  await vi.waitFor(() => expect(failures[0]).toBe("Silent"), { timeout: 60_000, interval: 50 });
  await changeSomething(1);
  stalling.fault = { kind: "none" };
  const fresh = await direct.list(configMaps, { namespace: "default" }, never);
  const present = fresh.ok ? versions(fresh.value.items) : [];
  await vi.waitFor(() => expect(versions([...informer.store.values()])).toEqual(present), { timeout: 60_000 });
  stop.abort();
  await ended;
  client.close();
  await stalling.close();
});
