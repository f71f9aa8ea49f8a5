/**
 * Tests a TCP service while processes die: the controller, a worker of nginx while the controller
 * is away, nginx, and both without an API server. The tests build on each other and cannot run
 * alone. test/image/streams.test.ts also runs them with the nginx that ships.
 */
import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { nginxProcesses } from "../../src/nginx/process/processes.ts";
import { until } from "../nginx/support/until.ts";
import { type Cluster, startCluster } from "./support/cluster.ts";
import { apply, installPod, Sluice } from "./support/sluice.ts";

const port = 25_432;
const backends = ["192.0.2.71", "192.0.2.72"] as const;
const servers: Server[] = [];
let cluster: Cluster;
let sluice: Sluice;

/**
 * A backend that sends its address to each client, and then repeats everything that the client
 * sends.
 */
function backendOn(address: string): Server {
  return createServer((socket) => {
    socket.on("error", () => {}).on("data", (data) => socket.write(data));
    socket.write(`${address}\n`);
  }).listen(9400, address);
}

const slice = (...addresses: readonly string[]) => ({
  apiVersion: "discovery.k8s.io/v1",
  kind: "EndpointSlice",
  metadata: { name: "db-1", namespace: "data", labels: { "kubernetes.io/service-name": "db" } },
  addressType: "IPv4",
  endpoints: addresses.map((address) => ({ addresses: [address], conditions: { ready: true } })),
  ports: [{ name: "p", port: 9400, protocol: "TCP" }],
});

beforeAll(async () => {
  servers.push(...backends.map(backendOn));
  cluster = await startCluster();
  await installPod(cluster);
  await apply(cluster, [
    { apiVersion: "v1", kind: "Namespace", metadata: { name: "data" } },
    {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: "db", namespace: "data" },
      spec: { ports: [{ name: "p", port: 5432, targetPort: 9400 }] },
    },
    slice(backends[0]),
    {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "tcp", namespace: "data" },
      data: { [port]: "data/db:5432" },
    },
  ]);
  sluice = new Sluice({ cluster, flags: ["--tcp-services-configmap=data/tcp"] });
  await sluice.process.start();
});
afterAll(async () => {
  await sluice?.end();
  await cluster?.stop();
  for (const server of servers) server.close();
});

/** Connects, and returns the backend that answers, or `failed`. */
async function ask(): Promise<{ readonly by: string; readonly socket: Socket }> {
  const socket = connect(port, "127.0.0.1");
  const received = new Promise<string>((resolve) => {
    socket.once("data", (data) => resolve(String(data).trim()));
    socket.once("close", () => resolve("failed")).on("error", () => {});
  });
  return { by: await received, socket };
}

async function answer(): Promise<string> {
  const { by, socket } = await ask();
  socket.destroy();
  return by;
}

const answersOf = async (count: number): Promise<readonly string[]> => {
  const all: string[] = [];
  for (let at = 0; at < count; at++) all.push(await answer());
  return [...new Set(all)];
};

/** An API server that was away is tried again after a minute at most. */
const patienceMs = 120_000;

/**
 * Waits until only this address answers. For a moment after a reload old workers may still accept a
 * connection.
 */
function hasOnly(address: string): Promise<boolean> {
  const isAlone = async () => {
    const found = await answersOf(20);
    return found.length === 1 && found[0] === address;
  };
  return until(`only ${address}`, isAlone, patienceMs);
}

async function echoed({ socket }: { readonly socket: Socket }, text: string): Promise<string> {
  socket.write(text);
  return String((await once(socket, "data"))[0]);
}

const processes = () => {
  const root = join(sluice.folder, "run");
  return nginxProcesses({ root, conf: join(root, "nginx.conf") });
};

test("while the controller is stopped, connections continue and begin, also after a worker died", async () => {
  await hasOnly(backends[0]);
  const held = await ask();
  const pid = sluice.nginxPid;
  await sluice.process.stop("SIGKILL");
  expect(await echoed(held, "still here")).toBe("still here");
  expect(await answersOf(20)).toEqual([backends[0]]);
  const workers = processes().filter(({ role }) => role === "worker");
  for (const worker of workers) process.kill(worker.pid, "SIGKILL");
  await until("other workers", () => {
    const now = processes().filter(({ role }) => role === "worker");
    return now.length > 0 && now.every((one) => workers.every((old) => old.pid !== one.pid));
  });
  expect(await answersOf(20)).toEqual([backends[0]]);
  expect(sluice.nginxPid).toBe(pid);
});

test("after the controller restarts, connections continue and new ones go to the present endpoints", async () => {
  const held = await ask();
  const pid = sluice.nginxPid;
  await apply(cluster, [slice(backends[1])]);
  expect(await answer()).toBe(backends[0]);
  await sluice.process.start();
  await hasOnly(backends[1]);
  expect(await echoed(held, "and now")).toBe("and now");
  expect(sluice.nginxPid).toBe(pid);
  held.socket.destroy();
});

test("an nginx that dies returns with the endpoints that it had", async () => {
  const pid = sluice.nginxPid;
  await sluice.killNginx();
  await until("another nginx", () => sluice.nginxPid !== undefined && sluice.nginxPid !== pid);
  await hasOnly(backends[1]);
});

test("a controller that died with its nginx restores the endpoints without an API server", async () => {
  await sluice.process.stop("SIGKILL");
  await sluice.killNginx();
  await cluster.apiServer.stop("SIGKILL");
  await sluice.process.start();
  await hasOnly(backends[1]);
  await cluster.apiServer.start();
  await apply(cluster, [slice(...backends)]);
  await until("both endpoints", async () => (await answersOf(8)).length === 2, patienceMs);
});
