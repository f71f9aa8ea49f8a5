import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { ConfigMap } from "../../src/core/model/objects.ts";
import { openCluster } from "../../src/edges/cluster/cluster.ts";
import type { Watch } from "../../src/edges/cluster/watches.ts";
import { configMaps } from "../../src/edges/resources.ts";
import {
  Client,
  kubeConfigCredentials,
  podCredentials,
  type ReflectorEvent,
  SharedInformer,
  systemClock,
} from "../../src/kube/index.ts";
import { issueServer, newAuthority } from "./support/authority.ts";
import { type Cluster, startCluster } from "./support/cluster.ts";
import { FaultyProxy } from "./support/faulty-proxy.ts";
import { configMap, write } from "./support/objects.ts";
import { untilAllowed } from "./support/rights.ts";

/**
 * Actions of a cluster's administrator while a controller runs. One informer runs through all of
 * them, with the files that a Pod gets. The tests build on each other and cannot run alone.
 */
/**
 * An API server that was away for long is tried again after ten seconds at most. On a busy machine
 * it needs longer to start.
 */
const soon = { timeout: 120_000, interval: 100 };
/** Waits have jitter, up to twice their length. */
const shortest = () => 0;
const stop = new AbortController();
const events: ReflectorEvent[] = [];
let cluster: Cluster;
let mounted: string;
let client: Client;
let informer: SharedInformer<ConfigMap>;

const mount = (name: string, text: string) => writeFileSync(join(mounted, name), text);

beforeAll(async () => {
  cluster = await startCluster({ users: [{ name: "pod", groups: ["system:masters"] }, { name: "plain" }] });
  mounted = join(cluster.folder, "service-account-files");
  mkdirSync(mounted);
  mount("token", "pod-token\n");
  mount("namespace", "default");
  mount("ca.crt", readFileSync(cluster.authority.certificateFile, "utf8"));
  const { hostname, port } = new URL(cluster.url);
  const env = { KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port };
  client = new Client(await podCredentials(env, mounted));
  const report = (event: ReflectorEvent) => events.push(event);
  informer = new SharedInformer(client, configMaps, { namespace: "default", report, random: shortest });
  void informer.run(stop.signal);
  await informer.synced;
});
afterAll(async () => {
  stop.abort();
  client?.close();
  await cluster?.stop();
});

/**
 * Writes an object with kubectl, which has its own connection, and waits until the informer has it.
 * An API server that was just restarted may refuse at first.
 */
async function expectToFollow(name: string): Promise<void> {
  const input = JSON.stringify(configMap(name));
  await vi.waitFor(() => cluster.kubectl(["apply", "-f", "-"], { input }), soon);
  await vi.waitFor(() => expect(informer.store.get(`default/${name}`)?.metadata.name).toBe(name), soon);
}

const happened = (kind: ReflectorEvent["kind"]) => events.filter((event) => event.kind === kind).length;

test("an informer follows changes after a restart of etcd", async () => {
  await expectToFollow("before-etcd");
  await cluster.etcd.restart();
  await vi.waitFor(() => cluster.kubectl(["get", "--raw", "/readyz"]), soon);
  await expectToFollow("after-etcd");
});

test("a restart of the API server while objects change causes at most one more list", async () => {
  const lists = happened("listed");
  await cluster.apiServer.stop("SIGKILL");
  await cluster.apiServer.start();
  for (let i = 0; i < 20; i += 1) await write(client, configMap(`filler-${i}`));
  await expectToFollow("after-restart");
  expect(happened("listed") - lists).toBeLessThanOrEqual(1);
});

test("after an outage the first watch that succeeds shortens the wait of the others", async () => {
  await cluster.kubectl(["create", "clusterrolebinding", "plain", "--clusterrole=cluster-admin", "--user=plain"]);
  await untilAllowed(cluster, "plain", [{ rules: [{ apiGroups: ["*"], resources: ["*"], verbs: ["*"] }] }]);
  // A server that starts refuses requests for a while, and the wait after a refusal is not
  // shortened. So here a proxy makes the server unreachable, and reachable again at once.
  const { hostname, port } = new URL(cluster.url);
  const proxy = new FaultyProxy({ host: hostname, port: Number(port) });
  const kubeconfig = cluster.kubeconfig("plain", await proxy.listen("127.0.0.1"));
  const plain = new Client(await kubeConfigCredentials([kubeconfig]));
  const waits = new Map<Watch, { readonly retryMs: number; readonly since: number }>();
  /** The milliseconds by which each wait was shortened. */
  const spared: number[] = [];
  const report = (watch: Watch, event: ReflectorEvent) => {
    const wait = waits.get(watch);
    if (event.kind === "failed") waits.set(watch, { retryMs: event.retryMs, since: performance.now() });
    if (event.kind !== "watching" || wait === undefined) return;
    waits.delete(watch);
    spared.push(wait.since + wait.retryMs - performance.now());
  };
  // Each wait has a different length, as with random numbers.
  let drawn = 0;
  const random = () => (drawn++ * 0.37) % 1;
  const named = { settings: undefined, configMaps: [], secrets: [], services: [] };
  const watched = { watchNamespace: undefined, watchNamespaceSelector: undefined, named };
  const options = { ...watched, annotationsPrefix: "nginx.ingress.kubernetes.io", clock: systemClock, random, report };
  const ending = new AbortController();
  const followed = openCluster(plain, options, ending.signal);
  await followed.synced;
  proxy.fault = { kind: "refuse" };
  proxy.cut();
  const areLong = () => waits.size === 6 && [...waits.values()].every(({ retryMs }) => retryMs >= 5_000);
  await vi.waitFor(() => expect(areLong()).toBe(true), soon);
  proxy.fault = { kind: "none" };
  await vi.waitFor(() => expect(spared).toHaveLength(6), soon);
  expect(spared.filter((ms) => ms > 0).length).toBeGreaterThanOrEqual(3);
  ending.abort();
  await followed.ended;
  plain.close();
  await proxy.close();
});

test("a version that the watch cache has forgotten (410) causes one more list, and no object is reported as gone", async () => {
  const { hostname, port } = new URL(cluster.url);
  const proxy = new FaultyProxy({ host: hostname, port: Number(port) });
  const kubeconfig = cluster.kubeconfig("admin", await proxy.listen("127.0.0.1"));
  const cutOff = new Client(await kubeConfigCredentials([kubeconfig]));
  const received: ReflectorEvent[] = [];
  const gone: string[] = [];
  const report = (event: ReflectorEvent) => received.push(event);
  const late = new SharedInformer(cutOff, configMaps, { namespace: "default", report, random: shortest });
  const ending = new AbortController();
  const ended = late.run(ending.signal);
  await late.synced;
  late.subscribe(({ kind, object }) => kind === "deleted" && gone.push(object.metadata.name));

  proxy.fault = { kind: "refuse" };
  proxy.cut();
  await expectToFollow("while-cut-off");
  await cluster.kubectl(["delete", "configmap", "after-restart"]);
  // A server that has just started does not know earlier events.
  await cluster.apiServer.restart();
  proxy.fault = { kind: "none" };
  await vi.waitFor(() => expect(late.store.get("default/while-cut-off")?.metadata.name).toBe("while-cut-off"), soon);
  expect(received).toContainEqual({ kind: "version-lost", why: expect.stringContaining("too old") });
  expect(received.filter(({ kind }) => kind === "listed")).toHaveLength(2);
  expect(gone).toEqual(["after-restart"]);
  ending.abort();
  await ended;
  cutOff.close();
  await proxy.close();
});

test("an informer follows changes after its token file is replaced", async () => {
  const tokens = join(cluster.folder, "tokens.csv");
  writeFileSync(tokens, readFileSync(tokens, "utf8").replace("pod-token", "fresh-token"));
  await cluster.apiServer.restart();
  await vi.waitFor(() => expect(events.at(-1)).toMatchObject({ kind: "failed", failure: { code: 401 } }), soon);
  mount("token", "fresh-token\n");
  await expectToFollow("fresh-token");
});

test("an informer follows changes after the certificate authority is replaced", async () => {
  const { hostname } = new URL(cluster.url);
  await cluster.apiServer.stop();
  const authority = await newAuthority(cluster.folder, "ca");
  await issueServer(authority, cluster.folder, "server", `IP:${hostname}`);
  await cluster.apiServer.start();
  await vi.waitFor(() => expect(JSON.stringify(events.at(-1))).toMatch(/certificate/i), soon);
  mount("ca.crt", readFileSync(authority.certificateFile, "utf8"));
  await expectToFollow("new-authority");
});

test("an informer follows an API server that was restored from an empty backup, with older versions", async () => {
  const old = informer.store.size;
  expect(old).toBeGreaterThan(20);
  await cluster.apiServer.stop("SIGKILL");
  await cluster.etcd.stop();
  rmSync(join(cluster.folder, "etcd"), { recursive: true });
  await cluster.etcd.start();
  await cluster.apiServer.start();
  await vi.waitFor(() => expect(informer.store.get("default/before-etcd")).toBeUndefined(), soon);
  expect(events.some((event) => event.kind === "version-lost" && event.why.includes("older than"))).toBe(true);
  await expectToFollow("after-backup");
});
