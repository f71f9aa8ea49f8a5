/**
 * Tests TCP and UDP services and TLS passthrough on a real nginx: the bytes that reach the backend,
 * and those that the client gets.
 */
import { createSocket, type Socket as Datagrams } from "node:dgram";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer as createHttpServer, type Server as HttpServer } from "node:http";
import { get } from "node:https";
import { connect, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createServer as createTlsServer, connect as tlsConnect } from "node:tls";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { KubernetesObject } from "../../src/core/model/objects.ts";
import { type Problem, sentence } from "../../src/core/model/problem.ts";
import { type Subject, startSubject } from "../parity/subject.ts";
import { pkiIn } from "../support/pki.ts";
import { datagramAnswer } from "./support/datagram.ts";
import { installedNginx } from "./support/installed.ts";

const backend = "192.0.2.61";
const folder = mkdtempSync(join(tmpdir(), "streams-"));
let subject: Subject;
let tcp: Server;
let tls: Server;
let udp: Datagrams;
let web: HttpServer;
let problems: readonly Problem[] = [];

/** Answers what it received, then closes. A PROXY header may arrive before the text behind it. */
function answering(socket: Socket): void {
  let got = "";
  socket.on("data", (data) => {
    got += data;
    if (!got.endsWith("\r\n")) socket.end(`from ${socket.remoteAddress}: ${got}`);
  });
  socket.on("error", () => {});
}

beforeAll(async () => {
  const { backend: pair } = await pkiIn(folder);
  tcp = createServer(answering).listen(7000, backend);
  tls = createTlsServer({ cert: pair.certificate, key: pair.key }, answering).listen(7443, backend);
  web = createHttpServer(({ headers }, answer) => answer.end(`client ${headers["x-real-ip"]}`)).listen(7080, backend);
  udp = createSocket("udp4").bind(7053, backend);
  udp.on("message", (message, from) => udp.send(`udp ${message}`, from.port, from.address));
  const flags = [
    "--http-port=8181",
    "--https-port=8443",
    "--default-server-port=8182",
    "--status-port=10346",
    "--stream-port=10347",
    "--tcp-services-configmap=ns/tcp",
    "--udp-services-configmap=ns/udp",
    "--enable-ssl-passthrough",
  ];
  subject = await startSubject({ mode: "dynamic", flags, objects, onProblems: (all) => (problems = all) });
  await subject.settled();
});

afterAll(async () => {
  await subject.stop();
  for (const server of [tcp, tls, udp, web]) server.close();
  rmSync(folder, { recursive: true });
});

interface ServiceReference {
  readonly name: string;
  readonly port: { readonly number: number };
}
const configMap = (name: string, data: Record<string, string>) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace: "ns" },
  data,
});
const service = (name: string, port: number, target: number, protocol = "TCP") => [
  {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name, namespace: "ns" },
    spec: { ports: [{ name: "p", port, protocol, targetPort: target }] },
  },
  {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: { name: `${name}-1`, namespace: "ns", labels: { "kubernetes.io/service-name": name } },
    addressType: "IPv4",
    endpoints: [{ addresses: [backend] }],
    ports: [{ name: "p", port: target, protocol }],
  },
];
const ingress = (name: string, host: string, service: ServiceReference, annotations: Record<string, string>) => ({
  apiVersion: "networking.k8s.io/v1",
  kind: "Ingress",
  metadata: { name, namespace: "ns", uid: name, annotations },
  spec: {
    ingressClassName: "nginx",
    rules: [
      {
        host,
        http: {
          paths: [{ path: "/", pathType: "Prefix", backend: { service } }],
        },
      },
    ],
  },
});
const objects = [
  {
    apiVersion: "networking.k8s.io/v1",
    kind: "IngressClass",
    metadata: { name: "nginx" },
    spec: { controller: "k8s.io/ingress-nginx" },
  },
  ...service("plain", 70, 7000),
  ...service("dns", 53, 7053, "UDP"),
  ...service("tls", 443, 7443),
  ...service("web", 80, 7080),
  configMap("tcp", {
    "9001": "ns/plain:70",
    "9002": "ns/plain:p:PROXY",
    "9003": "ns/plain:70::PROXY",
    "8443": "ns/plain:70",
    "9004": "ns/plain:7000",
    "10347": "ns/plain:70",
    x: "ns/plain:70",
  }),
  configMap("udp", { "9053": "ns/dns:53" }),
  ...["through.example", "default", "include"].map((host) =>
    ingress(
      host,
      host,
      { name: "tls", port: { number: 443 } },
      { "nginx.ingress.kubernetes.io/ssl-passthrough": "true" },
    ),
  ),
  ingress("ended", "ended.example", { name: "web", port: { number: 80 } }, {}),
] as unknown as KubernetesObject[];

function exchange(port: number, sent: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let got = "";
    const socket = connect({ port, host: "192.0.2.1", localAddress: "192.0.2.100" }, () => socket.write(sent));
    socket
      .on("data", (data) => (got += data))
      .on("end", () => resolve(got))
      .on("error", reject);
  });
}

test("a TCP service is served, by port number or name, with the PROXY protocol both ways", async () => {
  expect(await exchange(9001, "hello")).toMatch(/^from \S+: hello$/);
  expect(await exchange(9002, "PROXY TCP4 198.51.100.7 192.0.2.1 5000 9002\r\nhi")).toMatch(/: hi$/);
  expect(await exchange(9003, "hi")).toMatch(/: PROXY TCP4 192\.0\.2\.100 192\.0\.2\.1 \d+ 9003\r\nhi$/);
});

test("a UDP service answers", async () => {
  expect(await datagramAnswer("ping", 9053, "192.0.2.1")).toBe("udp ping");
});

test("the controller listens on --stream-port where nginx asks for the endpoints", async () => {
  const { upstreamResolve } = await installedNginx();
  const other = createSocket("udp4");
  const outcome = new Promise((resolve) => {
    other.once("error", ({ message }) => resolve(message)).bind(10_347, "127.0.0.1", () => resolve("free"));
  });
  expect(await outcome).toBe(upstreamResolve ? "bind EADDRINUSE 127.0.0.1:10347" : "free");
  other.close();
});

test("ports that cannot be opened are reported, each with its reason", () => {
  const sentences = problems.filter(({ object }) => object.kind === "ConfigMap").map(sentence);
  expect(sentences).toEqual([
    "data.8443: port 8443 is taken by https; the port is not opened",
    "data.9004: Service ns/plain has no TCP port 7000; the port is not opened",
    "data.10347: port 10347 is taken by the flag --stream-port; the port is not opened",
    'data.x: "x" is not a port number; the port is not opened',
  ]);
});

function subjectOf(servername: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { port: 8443, host: "192.0.2.1", servername, rejectUnauthorized: false };
    const socket = tlsConnect(options, () => {
      resolve(String(socket.getPeerCertificate().subject.CN));
      socket.destroy();
    });
    socket.on("error", reject);
  });
}

test("TLS of a passthrough host ends at its backend, which sees the client's address, and that of other hosts here", async () => {
  expect(await subjectOf("through.example")).toBe("backend.example");
  expect(await subjectOf("ended.example")).toBe("Kubernetes Ingress Controller Fake Certificate");
  expect(await overTls("ended.example")).toBe("client 192.0.2.100");
});

test("hosts whose names are keywords of nginx's map are served like others", async () => {
  expect(await subjectOf("default")).toBe("backend.example");
  expect(await subjectOf("include")).toBe("backend.example");
});

function overTls(host: string): Promise<string> {
  const options = {
    host: "192.0.2.1",
    port: 8443,
    servername: host,
    headers: { Host: host },
    localAddress: "192.0.2.100",
  };
  return new Promise((resolve, reject) => {
    get({ ...options, rejectUnauthorized: false, agent: false }, (answer) => {
      let text = "";
      answer.on("data", (data) => (text += data)).on("end", () => resolve(text));
    }).on("error", reject);
  });
}
