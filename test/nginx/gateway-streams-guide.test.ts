/**
 * Runs the YAML and the commands of docs/gateway-streams.md, with the programs that a reader has:
 * psql, dig and openssl. If a program is not installed, its command is skipped, and the test
 * itself sends requests to its listener.
 */
import { Resolver } from "node:dns/promises";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createServer as createTlsServer } from "node:tls";
import { execa } from "execa";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parse } from "yaml";
import type { KubernetesObject } from "../../src/core/model/objects.ts";
import { type Problem, sentence } from "../../src/core/model/problem.ts";
import { type Subject, startSubject } from "../parity/subject.ts";
import { type Nameserver, startNameserver } from "../support/nameserver.ts";
import { type Pki, pkiIn } from "../support/pki.ts";
import { postgresOn } from "./support/postgres.ts";

const address = "192.0.2.11";
const backend = "192.0.2.62";
const folder = mkdtempSync(join(tmpdir(), "gateway-streams-guide-"));
const page = readFileSync(join(import.meta.dirname, "../../docs/gateway-streams.md"), "utf8");
const fromPage = [...page.matchAll(/^```yaml\n(.*?)^```$/gms)].map(([, yaml]) => parse(yaml!) as KubernetesObject);
const commands = [...page.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, command]) => command!.trim());

let pki: Pki;
let nameserver: Nameserver;
let servers: readonly Server[] = [];
let subject: Subject;
let problems: readonly Problem[] = [];

/** Knows two commands of Redis, each on a line of its own, and ends the connection at QUIT. */
function redis(socket: Socket): void {
  socket
    .on("error", () => {})
    .on("data", (data) => {
      if (String(data).includes("PING")) socket.write("+PONG\r\n");
      if (String(data).includes("QUIT")) socket.end("+OK\r\n");
    });
}

beforeAll(async () => {
  pki = await pkiIn(folder);
  nameserver = await startNameserver(backend, 7053);
  nameserver.addresses.set("www.example.com", ["198.51.100.80"]);
  const { certificate: cert, key } = pki.backend;
  const vault = createTlsServer({ cert, key }, (socket) => void socket.on("error", () => {}).end());
  servers = [
    postgresOn(7432, backend),
    vault.on("tlsClientError", () => {}).listen(7443, backend),
    createServer(redis).listen(7379, backend),
  ];
  await Promise.all(servers.map((server) => server.listening || once(server, "listening")));
  const flags = [
    ...["--http-port=8181", "--https-port=8183", "--default-server-port=8182", "--status-port=10346"],
    `--gateway-addresses=${address}`,
  ];
  const objects = [...fromPage, gatewayClass, secret(), ...services()] as never;
  subject = await startSubject({ mode: "dynamic", flags, objects, onProblems: (all) => (problems = all) });
  await subject.settled();
});

afterAll(async () => {
  await subject?.stop();
  await nameserver?.stop();
  for (const server of servers) server.close();
  rmSync(folder, { recursive: true });
});

const gatewayClass = {
  apiVersion: "gateway.networking.k8s.io/v1",
  kind: "GatewayClass",
  metadata: { name: "sluice" },
  spec: { controllerName: "sluice.dev/gateway-controller" },
};

/** The certificate with which TLS ends at the Gateway. */
function secret() {
  const data = { "tls.crt": pki.tls.certificate, "tls.key": pki.tls.key };
  const base64 = Object.entries(data).map(([key, text]) => [key, Buffer.from(text).toString("base64")]);
  const metadata = { name: "redis-tls", namespace: "data" };
  return { apiVersion: "v1", kind: "Secret", metadata, type: "kubernetes.io/tls", data: Object.fromEntries(base64) };
}

/** The Services of the page, each on one port. */
const services = () => [
  ...serviceAt("postgres", 5432, 7432),
  ...serviceAt("postgres-next", 5432, 7432),
  ...serviceAt("dns", 53, 7053, "UDP"),
  ...serviceAt("vault", 8200, 7443),
  ...serviceAt("redis", 6379, 7379),
];

const serviceAt = (name: string, port: number, to: number, protocol = "TCP") => [
  {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name, namespace: "data" },
    spec: { ports: [{ name: "p", port, protocol, targetPort: to }] },
  },
  {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: { name: `${name}-1`, namespace: "data", labels: { "kubernetes.io/service-name": name } },
    addressType: "IPv4",
    endpoints: [{ addresses: [backend] }],
    ports: [{ name: "p", protocol, port: to }],
  },
];

/** Returns the output of the command of the page that begins in this way. */
async function output(begins: string): Promise<string> {
  const command = commands.find((one) => one.includes(begins))!.replaceAll("ADDRESS", address);
  const { stdout } = await execa("bash", ["--norc", "-uo", "pipefail", "-c", command], { timeout: 60_000 });
  return stdout;
}

const isInstalled = async (program: string): Promise<boolean> =>
  (await execa("which", [program], { reject: false })).exitCode === 0;

test("the objects of the page are served unchanged, and each of its commands is run below", () => {
  expect(problems.map(sentence)).toEqual([]);
  expect(commands.map((command) => /\b(psql|dig|openssl)\b.*/s.exec(command)?.[1])).toEqual([
    ...["psql", "dig", "openssl", "openssl"],
  ]);
});

test("psql reads from the database behind a TCPRoute", async (context) => {
  if (!(await isInstalled("psql"))) context.skip("psql is not installed (Debian's postgresql-client)");
  expect(await output("psql")).toMatch(/^ *\?column\? *\n-+\n *1 *\n\(1 row\)/);
});

test("dig gets an answer of the nameserver behind a UDPRoute", async (context) => {
  const resolver = new Resolver({ tries: 10 });
  resolver.setServers([address]);
  expect(await resolver.resolve4("www.example.com")).toEqual(["198.51.100.80"]);
  if (!(await isInstalled("dig"))) context.skip("dig is not installed (Debian's bind9-dnsutils)");
  expect(await output("dig")).toMatch(/^www\.example\.com\.\s+1\s+IN\s+A\s+198\.51\.100\.80$/m);
});

test("openssl gets the backend's certificate where TLS passes through", async () => {
  expect(await output("vault.example.com")).toMatch(/^subject=.*backend\.example/);
});

test("openssl reaches the Service where TLS ends at the Gateway", async () => {
  expect((await output("redis.example.com")).replaceAll("\r", "")).toBe("+PONG\n+OK");
});
