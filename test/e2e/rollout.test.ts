/**
 * Deployments that are rolled all at once, under traffic, against a real API server. There is no
 * reload and no failed request, and an address that has left its EndpointSlice soon gets no more
 * requests; the test prints how soon. `ROLLOUT_DEPLOYMENTS=100` measures the promised figure.
 */
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { EndpointSlice } from "../../src/core/model/objects.ts";
import { Client, kubeConfigCredentials, resource } from "../../src/kube/index.ts";
import { request } from "../nginx/support/request.ts";
import { steadyTraffic } from "../nginx/support/steady-traffic.ts";
import { until } from "../nginx/support/until.ts";
import { ingress } from "../support/ingress.ts";
import { type Cluster, startCluster } from "./support/cluster.ts";
import { apply, installPod, Sluice } from "./support/sluice.ts";

const count = Number(process.env.ROLLOUT_DEPLOYMENTS ?? 10);
const deployments = Array.from({ length: count }, (_, at) => ({ name: `app-${at}`, port: 9000 + at }));
/** Two Pods of the old version, two of the new. */
const pods = ["192.0.2.21", "192.0.2.22", "192.0.2.23", "192.0.2.24"] as const;
const steps = [
  [0, 1],
  [0, 1, 2],
  [1, 2],
  [1, 2, 3],
  [2, 3],
] as const;
const slices = resource<EndpointSlice>({
  apiVersion: "discovery.k8s.io/v1",
  kind: "EndpointSlice",
  plural: "endpointslices",
  namespaced: true,
});
const never = new AbortController().signal;
const servers: Server[] = [];
/** An address counts as unused when this many requests of a Deployment in a row went elsewhere. */
const enough = 200;

/** The requests of a Deployment, to any of its Pods. */
interface Asked {
  count: number;
  /** The last request to each Pod, by the Pod's address, with its time. */
  readonly last: Map<string, { readonly number: number; readonly at: number }>;
}
const askedOf = new Map<number, Asked>(deployments.map(({ port }) => [port, { count: 0, last: new Map() }]));
/**
 * For each address and port that became unused, its last request, and the time from its removal to
 * that request.
 */
const left = new Map<string, { readonly number: number; readonly afterMs: number }>();
let cluster: Cluster;
let sluice: Sluice;
let client: Client;

beforeAll(async () => {
  cluster = await startCluster();
  await Promise.all(deployments.flatMap(({ port }) => pods.map((address) => pod(address, port))));
  await installPod(cluster);
  await apply(cluster, [{ apiVersion: "v1", kind: "Namespace", metadata: { name: "apps" } }]);
  await apply(
    cluster,
    deployments.flatMap(({ name, port }) => [serviceOf(name, port), sliceOf(name, port, steps[0]), ingressOf(name)]),
  );
  client = new Client(await kubeConfigCredentials([cluster.kubeconfig()]));
  sluice = new Sluice({ cluster, flags: ["--update-status=false", "--enable-metrics"] });
  await sluice.process.start();
});
afterAll(async () => {
  client?.close();
  await sluice?.end();
  for (const server of servers) server.close();
  await cluster?.stop();
});

async function pod(address: string, port: number): Promise<void> {
  const server = createServer({ keepAliveTimeout: 65_000 }, (_request, response) => {
    const asked = askedOf.get(port)!;
    asked.last.set(address, { number: ++asked.count, at: performance.now() });
    response.end("hello");
  });
  servers.push(server.listen(port, address).unref());
  await once(server, "listening");
}

const serviceOf = (name: string, port: number) => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { namespace: "apps", name },
  spec: { ports: [{ name: "http", port: 80, targetPort: port }] },
});

const sliceOf = (name: string, port: number, members: readonly number[]) => ({
  apiVersion: "discovery.k8s.io/v1",
  kind: "EndpointSlice",
  metadata: { namespace: "apps", name, labels: { "kubernetes.io/service-name": name } },
  addressType: "IPv4",
  ports: [{ name: "http", port, protocol: "TCP" }],
  endpoints: members.map((at) => ({ addresses: [pods[at]], conditions: { ready: true } })),
});

const ingressOf = (name: string) => ingress({ name, namespace: "apps", host: `${name}.example`, paths: [["/", name]] });

/** Replaces one Pod after the other, as a Deployment with a surge of one does. */
async function roll({ name, port }: { readonly name: string; readonly port: number }): Promise<void> {
  for (const [at, members] of steps.entries()) {
    if (at === 0) continue;
    const patch = { endpoints: sliceOf(name, port, members).endpoints };
    const answer = await client.patch(slices, { namespace: "apps", name }, { type: "merge", body: patch }, never);
    if (!answer.ok) throw new Error(JSON.stringify(answer));
    for (const gone of steps[at - 1]!.filter((one) => !(members as readonly number[]).includes(one)))
      await leaves(pods[gone]!, port);
  }
}

async function leaves(address: string, port: number): Promise<void> {
  const [since, asked] = [performance.now(), askedOf.get(port)!];
  const last = () => asked.last.get(address) ?? { number: 0, at: since };
  await until(`${address}:${port} gets no more requests`, () => asked.count - last().number >= enough, 120_000);
  left.set(`${address}:${port}`, { number: last().number, afterMs: Math.max(0, last().at - since) });
}

async function reloads(): Promise<number> {
  const { body } = await request({ to: "127.0.0.1:10254", path: "/metrics" });
  return Number(/^nginx_ingress_controller_success\{[^}]*\} (\d+)/m.exec(body)?.[1]);
}

test(`a rollout of ${count} Deployments at once fails no request`, async () => {
  const to = "127.0.0.1:80";
  const hosts = deployments.map(({ name }) => `${name}.example`);
  for (const host of hosts) await until(host, async () => (await request({ to, host })).status === 200);
  const before = await reloads();
  const traffic = steadyTraffic(hosts.map((host) => ({ to, host })));
  await Promise.all(deployments.map(roll));
  await traffic.end();
  const slowest = Math.max(...[...left.values()].map(({ afterMs }) => afterMs));
  console.log(
    traffic.answers,
    `${traffic.retries} requests were repeated; the last one came ${Math.round(slowest)} ms after its address left`,
  );
  expect(left.size).toBe(2 * count);
  for (const { port } of deployments)
    for (const [address, { number }] of askedOf.get(port)!.last)
      expect(left.get(`${address}:${port}`)?.number ?? number, `${address}:${port}`).toBe(number);
  expect([...traffic.answers.keys()]).toEqual(["200"]);
  expect(await reloads()).toBe(before);
});
