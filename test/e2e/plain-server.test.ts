import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { Client, kubeConfigCredentials, type ReflectorEvent, SharedInformer } from "../../src/kube/index.ts";
import { type Cluster, startCluster } from "./support/cluster.ts";
import { configMap, configMaps, write } from "./support/objects.ts";

/**
 * An API server with the features of version 1.25: no streaming lists, and, without its watch
 * cache, no bookmarks.
 */
const withoutExtras = ["--feature-gates=WatchList=false", "--watch-cache=false"];
let cluster: Cluster;
let client: Client;

beforeAll(async () => {
  cluster = await startCluster({ apiServerFlags: withoutExtras });
  client = new Client(await kubeConfigCredentials([cluster.kubeconfig()]));
});
afterAll(async () => {
  client?.close();
  await cluster?.stop();
});

test("a server without streaming lists and bookmarks is read in pages, without failures or waits", async () => {
  for (let i = 0; i < 5; i += 1) await write(client, configMap(`old-${i}`));
  const stop = new AbortController();
  const events: ReflectorEvent[] = [];
  const report = (event: ReflectorEvent) => events.push(event);
  const informer = new SharedInformer(client, configMaps, { namespace: "default", pageSize: 2, report });
  const ended = informer.run(stop.signal);
  await informer.synced;
  expect(events[0]).toMatchObject({ kind: "listed", streamed: false });
  await write(client, configMap("fresh"));
  await vi.waitFor(() => expect(informer.store.get("default/fresh")?.metadata.name).toBe("fresh"), { timeout: 60_000 });
  expect(informer.store.size).toBeGreaterThanOrEqual(6);
  expect(events.filter(({ kind }) => kind === "failed")).toEqual([]);
  stop.abort();
  await ended;
});
