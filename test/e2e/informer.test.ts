import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import type { ConfigMap } from "../../src/core/model/objects.ts";
import {
  Client,
  type InformerOptions,
  kubeConfigCredentials,
  type ReflectorEvent,
  SharedInformer,
} from "../../src/kube/index.ts";
import { until } from "../nginx/support/until.ts";
import { type Cluster, startCluster } from "./support/cluster.ts";
import { configMap, configMaps, write as writeWith } from "./support/objects.ts";
import { relayTo } from "./support/relay.ts";

let cluster: Cluster;
let client: Client;
let stop: AbortController;
const runs: Promise<void>[] = [];
const events: ReflectorEvent[] = [];

beforeAll(async () => {
  cluster = await startCluster({ users: [{ name: "nobody" }] });
  client = new Client(await kubeConfigCredentials([cluster.kubeconfig()]));
});
afterAll(async () => {
  client?.close();
  await cluster?.stop();
});
beforeEach(() => {
  stop = new AbortController();
  events.length = 0;
});
afterEach(async () => {
  stop.abort();
  await Promise.all(runs.splice(0));
});

const never = new AbortController().signal;
/** An API server that was away for long is tried again after a minute at most. */
const soon = { timeout: 120_000, interval: 20 };

/** Starts an informer on the ConfigMaps of `default`. */
async function running(options: InformerOptions<ConfigMap> = {}): Promise<SharedInformer<ConfigMap>> {
  const report = (event: ReflectorEvent) => events.push(event);
  const informer = new SharedInformer(client, configMaps, { namespace: "default", report, ...options });
  runs.push(informer.run(stop.signal));
  await informer.synced;
  return informer;
}

const write = (object: ConfigMap) => writeWith(client, object);

const seen = (informer: SharedInformer<ConfigMap>, name: string) => informer.store.get(`default/${name}`)?.data;

async function expectSameAsFreshList(informer: SharedInformer<ConfigMap>): Promise<void> {
  const fresh = await client.list(configMaps, { namespace: "default" }, never);
  if (!fresh.ok) throw new Error(fresh.failure.message);
  const versions = (objects: readonly ConfigMap[]) =>
    objects.map((o) => `${o.metadata.name} ${o.metadata.resourceVersion}`).sort();
  expect(versions([...informer.store.values()])).toEqual(versions(fresh.value.items));
}

test.each([
  ["a streaming list", { streamingLists: true }],
  ["pages", { streamingLists: false, pageSize: 2 }],
])("the cache is filled by %s and follows every change", async (_how, options) => {
  for (let i = 0; i < 5; i += 1) await write(configMap(`old-${i}`, { a: "1" }));
  const informer = await running(options);
  expect(events[0]).toMatchObject({ kind: "listed", streamed: options.streamingLists });
  await expectSameAsFreshList(informer);

  const received: string[] = [];
  const unsubscribe = informer.subscribe(({ kind, object }) => received.push(`${kind} ${object.metadata.name}`));
  received.length = 0;
  await write(configMap("fresh", { a: "1" }));
  await write(configMap("fresh", { a: "2" }));
  await until("fresh is deleted", async () => {
    const answer = await client.delete(configMaps, { namespace: "default", name: "fresh" }, never);
    return answer.ok || answer.failure.code === 404;
  });
  await vi.waitFor(() => expect(received).toEqual(["added fresh", "updated fresh", "deleted fresh"]), soon);
  unsubscribe();

  const object = informer.store.get("default/old-1") as ConfigMap;
  expect(object).toMatchObject({ apiVersion: "v1", kind: "ConfigMap" });
  expect(object.metadata).not.toHaveProperty("managedFields");
  expect(Object.isFrozen(object.data)).toBe(true);
});

test("changes during an outage of the API server arrive, and no object is reported as gone in between", async () => {
  await write(configMap("before", { a: "1" }));
  const informer = await running();
  const gone: string[] = [];
  informer.subscribe(({ kind, object }) => kind === "deleted" && gone.push(object.metadata.name));
  await cluster.apiServer.stop("SIGKILL");
  await vi.waitFor(() => expect(events.at(-1)).toMatchObject({ kind: "failed", denied: false }), soon);
  expect(seen(informer, "before")).toEqual({ a: "1" });
  await cluster.apiServer.start();
  await write(configMap("before", { a: "2" }));
  await write(configMap("after", { a: "1" }));
  await vi.waitFor(() => expect(seen(informer, "before")).toEqual({ a: "2" }), soon);
  await vi.waitFor(() => expect(seen(informer, "after")).toEqual({ a: "1" }), soon);
  expect(gone).toEqual([]);
  await expectSameAsFreshList(informer);
});

test("the API server packs a large page of a list", async () => {
  const text = "the same words again and again, ".repeat(1_000);
  for (let i = 0; i < 20; i += 1) await write(configMap(`large-${i}`, { text }));
  const relay = await relayTo({ host: "192.0.2.1", port: 6443 });
  const far = new Client(await kubeConfigCredentials([cluster.kubeconfig("admin", `https://127.0.0.1:${relay.port}`)]));
  const list = await far.list(configMaps, { namespace: "default" }, never);
  expect(list.ok && list.value.items.filter(({ data }) => data?.text === text)).toHaveLength(20);
  expect(relay.received()).toBeLessThan((20 * text.length) / 10);
  far.close();
  await relay.end();
});

test("a kind that is forbidden is reported, and requested again at long intervals", async () => {
  const nobody = new Client(await kubeConfigCredentials([cluster.kubeconfig("nobody")]));
  const report = (event: ReflectorEvent) => events.push(event);
  const informer = new SharedInformer(nobody, configMaps, { report });
  runs.push(informer.run(stop.signal));
  await vi.waitFor(() => expect(events).not.toEqual([]), soon);
  expect(events[0]).toMatchObject({ kind: "failed", denied: true, failure: { code: 403, reason: "Forbidden" } });
  expect((events[0] as { retryMs: number }).retryMs).toBeGreaterThanOrEqual(2_000);
  expect(informer.hasSynced).toBe(false);
  nobody.close();
});
