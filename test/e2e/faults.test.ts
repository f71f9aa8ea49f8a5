import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { Client, kubeConfigCredentials, type ReflectorEvent, SharedInformer } from "../../src/kubernetes/index.ts";
import type { ConfigMap } from "../../src/model/objects.ts";
import { type Cluster, startCluster } from "./support/cluster.ts";
import { FaultyProxy } from "./support/faulty-proxy.ts";
import { configMap, configMaps } from "./support/objects.ts";

/** How many faults, one after the other: `FAULTS=200` is the long form of this test, about five minutes. */
const faults = Number(process.env.FAULTS ?? 20);
const never = new AbortController().signal;

let cluster: Cluster;
let proxy: FaultyProxy;
let direct: Client;
let throughProxy: Client;

beforeAll(async () => {
  cluster = await startCluster();
  const { hostname, port } = new URL(cluster.url);
  proxy = new FaultyProxy({ host: hostname, port: Number(port) });
  const server = await proxy.listen("127.0.0.1");
  direct = new Client(await kubeConfigCredentials([cluster.kubeconfig()]));
  throughProxy = new Client(await kubeConfigCredentials([cluster.kubeconfig("admin", server)]), { timeoutMs: 2_000 });
});
afterAll(async () => {
  direct?.close();
  throughProxy?.close();
  await proxy?.close();
  await cluster?.stop();
});

/** What a listener heard adds up to: the versions it believes in, and what it was told that cannot be. */
function bookkeeper(informer: SharedInformer<ConfigMap>) {
  const believed = new Map<string, string>();
  const contradictions: string[] = [];
  informer.subscribe(({ kind, object: { metadata } }) => {
    if ((kind === "added") === believed.has(metadata.name)) contradictions.push(`${kind} ${metadata.name}`);
    if (kind === "deleted") believed.delete(metadata.name);
    else believed.set(metadata.name, metadata.resourceVersion as string);
  });
  return { believed, contradictions };
}

async function changeSomething(round: number): Promise<void> {
  const name = `object-${round % 7}`;
  const object = configMap(name, { round: `${round}` });
  if (round % 5 === 4) await direct.delete(configMaps, { namespace: "default", name }, never);
  const created = await direct.create(configMaps, object, never);
  if (!created.ok) await direct.update(configMaps, object, never);
}

/** One fault that lasts up to 1.5 s and a pause of up to 1.5 s, while objects change. */
async function breakThings(round: number): Promise<void> {
  const what = Math.floor(Math.random() * 6);
  if (what === 0) proxy.cut();
  if (what === 1) proxy.fault = { kind: "stall" };
  if (what === 2) proxy.fault = { kind: "delay", ms: Math.random() * 500 };
  if (what === 3) proxy.fault = { kind: "corrupt" };
  if (what === 4) {
    proxy.fault = { kind: "refuse" };
    proxy.cut();
  }
  if (what === 5) proxy.fault = { kind: "none" };
  await changeSomething(round);
  await sleep(Math.random() * 1_500);
  await changeSomething(round + 1);
  if (what !== 3) proxy.fault = { kind: "none" };
  await sleep(Math.random() * 1_500);
}

test(`after ${faults} random faults the cache equals a fresh list and nothing has leaked`, {
  timeout: 900_000,
}, async () => {
  const events: ReflectorEvent[] = [];
  const stop = new AbortController();
  const informer = new SharedInformer(throughProxy, configMaps, {
    namespace: "default",
    // A server sends a bookmark each minute: a test of minutes cannot wait for that, and counts silence sooner.
    inactivityMs: 3_000,
    report: (event) => events.push(event),
  });
  const { believed, contradictions } = bookkeeper(informer);
  const ended = informer.run(stop.signal);
  await informer.synced;
  for (let round = 0; round < faults; round += 1) await breakThings(round);

  const fresh = async () => {
    const answer = await direct.list(configMaps, { namespace: "default" }, never);
    if (!answer.ok) throw new Error(answer.failure.message);
    return answer.value.items;
  };
  const versions = (objects: readonly ConfigMap[]) => {
    return objects.map(({ metadata }) => [metadata.name, metadata.resourceVersion] as const).sort();
  };
  const present = versions(await fresh());
  await vi.waitFor(() => expect(versions(informer.store.list())).toEqual(present), { timeout: 90_000, interval: 100 });
  expect([...believed].sort()).toEqual(present);
  expect(contradictions).toEqual([]);

  const count = (kind: ReflectorEvent["kind"]) => events.filter((event) => event.kind === kind).length;
  console.log(`${faults} faults: ${count("listed")} lists, ${count("watching")} watches, ${count("failed")} failures`);
  expect(count("listed")).toBeLessThanOrEqual(1 + count("version-lost"));
  stop.abort();
  await ended;
  throughProxy.close();
  await vi.waitFor(() => expect(proxy.open).toBe(0), { timeout: 10_000 });
});
