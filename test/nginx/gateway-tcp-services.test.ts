/**
 * TCP services of the ConfigMap on ports that listeners of a Gateway have on an address of the
 * pool, while nginx runs. Such a service is not opened, and everything else goes on.
 */
import { createServer as createHttpServer } from "node:http";
import { connect, createServer } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { KubernetesObject } from "../../src/core/model/objects.ts";
import { type Problem, sentence } from "../../src/core/model/problem.ts";
import { type Subject, startSubject } from "../parity/subject.ts";
import { gateway, gatewayClass, namespace, route } from "../support/gateways.ts";
import { request } from "./support/request.ts";

const [machine, pooled, backend] = ["192.0.2.1", "192.0.2.10", "192.0.2.61"];
const servers = [
  createHttpServer((_, response) => response.end("request")),
  createServer((socket) => socket.on("error", () => {}).end("stream")),
];
let subject: Subject;
let problems: readonly Problem[] = [];

const ports = [
  { name: "requests", port: 80, targetPort: 7280 },
  { name: "streams", port: 70, targetPort: 7281 },
];
const service = [
  { apiVersion: "v1", kind: "Service", metadata: { name: "web", namespace: "ns" }, spec: { ports } },
  {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: { name: "web-1", namespace: "ns", labels: { "kubernetes.io/service-name": "web" } },
    addressType: "IPv4",
    endpoints: [{ addresses: [backend] }],
    ports: ports.map(({ name, targetPort }) => ({ name, port: targetPort })),
  },
];
const http = (name: string, port: number) => ({ name, port, protocol: "HTTP" });
const db = { name: "db", port: 5432, protocol: "TCP" };
const tcp = (...numbers: readonly number[]) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "tcp", namespace: "ns" },
  data: Object.fromEntries(numbers.map((port) => [port, "ns/web:70"])),
});
const refused = (port: number) =>
  `data.${port}: nginx has port ${port} for Gateway ns/gw on an address of its own, and cannot open it on all addresses while it runs; use another port, or remove that listener; the port is not opened before its entry is written anew or the controller starts again`;

async function apply(...objects: readonly object[]): Promise<void> {
  await subject.apply(objects as readonly KubernetesObject[]);
  await subject.settled();
}

/** Returns what the port sends to a client, or the error. */
function sent(host: string, port: number): Promise<string> {
  return new Promise((resolve) => {
    let got = "";
    const socket = connect(port, host).on("data", (data) => (got += data));
    socket.on("close", () => resolve(got));
    socket.on("error", ({ code = "" }: NodeJS.ErrnoException) => (got = code));
  });
}
const asked = async (port: number) => (await request({ to: `${pooled}:${port}`, host: "a.example" })).body;
const said = () => problems.filter(({ object }) => object.kind === "ConfigMap").map(sentence);

beforeAll(async () => {
  for (const [at, server] of servers.entries()) server.listen(7280 + at, backend);
  const toStreams = route({
    name: "db",
    parent: { sectionName: "db" },
    rules: [{ backendRefs: [{ name: "web", port: 70 }] }],
  });
  const objects = [
    ...[gatewayClass(), namespace("ns"), ...service, tcp(), route({ name: "web" }), { ...toStreams, kind: "TCPRoute" }],
    gateway({ listeners: [http("http", 8280), db] }),
  ] as unknown as KubernetesObject[];
  const flags = [
    ...["--http-port=8181", "--https-port=8183", "--default-server-port=8182", "--status-port=10346"],
    ...[`--gateway-addresses=${pooled}`, "--tcp-services-configmap=ns/tcp"],
  ];
  subject = await startSubject({ mode: "dynamic", flags, objects, onProblems: (all) => (problems = all) });
  await subject.settled();
});
afterAll(async () => {
  await subject.stop();
  for (const one of servers) one.close();
});

test("a TCP service is refused with the listener's name, and other services and listeners are opened", async () => {
  await apply(tcp(5432));
  expect(said()).toEqual([refused(5432)]);
  await apply(tcp(5432, 8280, 6000));
  expect(said()).toEqual([refused(5432), refused(8280)]);
  await apply(gateway({ listeners: [http("http", 8280), db, http("more", 8290)] }));
  expect(await Promise.all([sent(machine!, 6000), sent(pooled!, 5432), sent(machine!, 5432)])).toEqual([
    "stream",
    "stream",
    "ECONNREFUSED",
  ]);
  expect([await asked(8280), await asked(8290)]).toEqual(["request", "request"]);
});

test("it is opened when the listener is gone and the entry is written anew", async () => {
  await apply(gateway({ listeners: [http("http", 8280)] }));
  await apply(tcp());
  await apply(tcp(5432));
  expect(said()).toEqual([]);
  expect(await sent(machine!, 5432)).toBe("stream");
});

test("a listener whose port and protocol change is served there, beside a TCP service of its port too", async () => {
  await apply(gateway({ listeners: [http("http", 5433), { ...db, port: 8280 }] }));
  expect([await asked(5433), await sent(pooled!, 8280)]).toEqual(["request", "stream"]);
  await apply(gateway({ listeners: [http("http", 8280), db] }));
  expect([await asked(8280), await sent(pooled!, 5432), await sent(machine!, 5432)]).toEqual([
    "request",
    "stream",
    "stream",
  ]);
  expect(said()).toEqual([]);
});
