/**
 * TCPRoutes, UDPRoutes and TLSRoutes through a real nginx: where connections and datagrams go, and
 * which are refused.
 */
import { createSocket, type Socket as Datagrams } from "node:dgram";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { connect, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createServer as createTlsServer, connect as tlsConnect } from "node:tls";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { KubernetesObject } from "../../src/core/model/objects.ts";
import { type Problem, sentence } from "../../src/core/model/problem.ts";
import { type Subject, startSubject } from "../parity/subject.ts";
import { type Pki, pkiIn } from "../support/pki.ts";
import { datagramAnswer } from "./support/datagram.ts";

const group = "gateway.networking.k8s.io";
const address = "192.0.2.10";
const backends = ["192.0.2.61", "192.0.2.62", "192.0.2.63"] as const;
/** Answers when the client has ended its part. */
const lateBackend = "192.0.2.64";
const folder = mkdtempSync(join(tmpdir(), "gateway-streams-"));
const closing: { close(): unknown }[] = [];
let subject: Subject;
let pki: Pki;
let problems: readonly Problem[] = [];

/**
 * Each backend answers with the last byte of its address and the text it received, over TCP, TLS
 * and UDP.
 */
function start(host: string): (Server | Datagrams)[] {
  const name = host.split(".").at(-1);
  const answer = (text: string) => `${name} ${text}`;
  const tcp = createServer((socket) =>
    socket.on("error", () => {}).on("data", (data) => socket.end(answer(`${data}`))),
  );
  const { backend: pair } = pki;
  const tls = createTlsServer({ cert: pair.certificate, key: pair.key }, (socket) =>
    socket.on("error", () => {}).on("data", (data) => socket.end(answer(`${socket.servername} ${data}`))),
  );
  const udp = createSocket("udp4").bind(7053, host);
  udp.on("message", (message, { port, address: from }) => udp.send(answer(`${message}`), port, from));
  return [tcp.listen(7000, host), tls.listen(7443, host), udp];
}

function startLate(): Server[] {
  const answer = (socket: Socket) => {
    let got = "";
    socket.on("error", () => {}).on("data", (data) => (got += data));
    socket.on("end", () => socket.end(`64 ${got}`));
  };
  const { certificate: cert, key } = pki.backend;
  return [
    createServer({ allowHalfOpen: true }, answer).listen(7000, lateBackend),
    createTlsServer({ cert, key, allowHalfOpen: true }, answer).listen(7443, lateBackend),
  ];
}

beforeAll(async () => {
  pki = await pkiIn(folder);
  closing.push(...backends.flatMap(start), ...startLate());
  const flags = [
    ...["--http-port=8181", "--https-port=8183", "--default-server-port=8182", "--status-port=10346"],
    `--gateway-addresses=${address}`,
  ];
  subject = await startSubject({ mode: "dynamic", flags, objects: objects(), onProblems: (all) => (problems = all) });
  await subject.settled();
});

afterAll(async () => {
  await subject.stop();
  for (const one of closing) one.close();
  rmSync(folder, { recursive: true });
});

const metadata = (name: string, second = 0) => {
  const creationTimestamp = new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();
  return { name, namespace: "ns", uid: name, generation: 1, creationTimestamp };
};

const gateway = (listeners: readonly object[]) => ({
  apiVersion: `${group}/v1`,
  kind: "Gateway",
  metadata: metadata("gw"),
  spec: { gatewayClassName: "sluice", addresses: [{ value: address }], listeners },
});

interface RouteSketch {
  readonly section: string;
  readonly to: readonly object[];
  readonly hostnames?: readonly string[];
  readonly second?: number;
}

const route = (kind: string, name: string, { section, to, hostnames, second }: RouteSketch) => ({
  apiVersion: `${group}/v1`,
  kind,
  metadata: metadata(name, second),
  spec: {
    parentRefs: [{ name: "gw", sectionName: section }],
    ...(hostnames === undefined ? {} : { hostnames }),
    rules: [{ backendRefs: to }],
  },
});

const service = (name: string, hosts: readonly string[], namespace = "ns") => {
  const ports = [
    { name: "tcp", port: 70, protocol: "TCP", to: 7000 },
    { name: "tls", port: 443, protocol: "TCP", to: 7443 },
    { name: "udp", port: 53, protocol: "UDP", to: 7053 },
  ];
  return [
    {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name, namespace },
      spec: { ports: ports.map(({ to, ...port }) => ({ ...port, targetPort: to })) },
    },
    slice(name, hosts, ports, namespace),
  ];
};

const slice = (
  name: string,
  hosts: readonly string[],
  ports: readonly { name: string; protocol: string; to: number }[],
  namespace: string,
) => ({
  apiVersion: "discovery.k8s.io/v1",
  kind: "EndpointSlice",
  metadata: { name: `${name}-1`, namespace, labels: { "kubernetes.io/service-name": name } },
  addressType: "IPv4",
  endpoints: hosts.map((host) => ({ addresses: [host] })),
  ports: ports.map(({ name: port, protocol, to }) => ({ name: port, protocol, port: to })),
});

const listeners = [
  { name: "db", port: 5432, protocol: "TCP" },
  { name: "dns", port: 53, protocol: "UDP" },
  { name: "dns-tcp", port: 53, protocol: "TCP" },
  { name: "weights", port: 5433, protocol: "TCP" },
  { name: "half", port: 5434, protocol: "TCP" },
  { name: "idle", port: 5435, protocol: "TCP" },
  { name: "none", port: 5436, protocol: "TCP" },
  { name: "foreign", port: 5437, protocol: "TCP" },
  { name: "late", port: 5438, protocol: "TCP" },
  { name: "late-tls", port: 5439, protocol: "TLS", hostname: "late.example", tls: { mode: "Passthrough" } },
  { name: "through", port: 9443, protocol: "TLS", hostname: "*.through.example", tls: { mode: "Passthrough" } },
  {
    name: "ended",
    port: 9443,
    protocol: "TLS",
    hostname: "ended.example",
    tls: { mode: "Terminate", certificateRefs: [{ name: "ended" }] },
  },
  {
    name: "alt",
    port: 9443,
    protocol: "TLS",
    hostname: "alt.example",
    tls: { mode: "Terminate", certificateRefs: [{ name: "ended" }, { name: "alt" }] },
  },
  ...["secured", "wrong", "partly", "plain", "plain-secured"].map((name) => ({
    name,
    port: 9443,
    protocol: "TLS",
    hostname: `${name}.example`,
    tls: { mode: "Terminate", certificateRefs: [{ name: "ended" }] },
  })),
];

/** A policy for TLS to a Service, with a certificate of this hostname. */
const policy = (service: string, hostname: string, kind = "ConfigMap") => ({
  apiVersion: `${group}/v1`,
  kind: "BackendTLSPolicy",
  metadata: metadata(service),
  spec: {
    targetRefs: [{ group: "", kind: "Service", name: service, sectionName: "tls" }],
    validation: { hostname, caCertificateRefs: [{ group: "", kind, name: "authority" }] },
  },
});

function objects(): KubernetesObject[] {
  const base64 = (text: string) => Buffer.from(text).toString("base64");
  return [
    {
      apiVersion: `${group}/v1`,
      kind: "GatewayClass",
      metadata: { name: "sluice" },
      spec: { controllerName: "sluice.dev/gateway-controller" },
    },
    ...(
      [
        ["ended", pki.backend],
        ["alt", pki.alt],
      ] as const
    ).map(([name, { certificate, key }]) => ({
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name, namespace: "ns" },
      type: "kubernetes.io/tls",
      data: { "tls.crt": base64(certificate), "tls.key": base64(key) },
    })),
    ...backends.flatMap((host, at) => service(`b${at + 1}`, [host])),
    ...service("none", []),
    ...service("late", [lateBackend]),
    route("TCPRoute", "late", { section: "late", to: [{ name: "late", port: 70 }] }),
    route("TLSRoute", "late", { section: "late-tls", hostnames: ["late.example"], to: [{ name: "late", port: 443 }] }),
    gateway(listeners),
    route("TCPRoute", "db", { section: "db", to: [{ name: "b1", port: 70 }] }),
    route("TCPRoute", "db-later", { section: "db", to: [{ name: "b2", port: 70 }], second: 1 }),
    route("UDPRoute", "dns", { section: "dns", to: [{ name: "b1", port: 53 }] }),
    route("UDPRoute", "dns-later", { section: "dns", to: [{ name: "b3", port: 53 }], second: 1 }),
    route("TCPRoute", "none", {
      section: "none",
      to: [
        { name: "b1", port: 70, weight: 0 },
        { name: "b2", port: 70, weight: 0 },
      ],
    }),
    route("TCPRoute", "dns", { section: "dns-tcp", to: [{ name: "b2", port: 70 }] }),
    route("TCPRoute", "weights", {
      section: "weights",
      to: [
        { name: "b1", port: 70, weight: 3 },
        { name: "b2", port: 70, weight: 1 },
        { name: "b3", port: 70, weight: 0 },
      ],
    }),
    route("TCPRoute", "half", {
      section: "half",
      to: [
        { name: "b1", port: 70 },
        { name: "gone", port: 70 },
      ],
    }),
    route("TLSRoute", "through", { section: "through", hostnames: ["*.example"], to: [{ name: "b1", port: 443 }] }),
    route("TLSRoute", "one", {
      section: "through",
      hostnames: ["one.through.example"],
      to: [{ name: "b2", port: 443 }],
    }),
    route("TLSRoute", "shut", {
      section: "through",
      hostnames: ["shut.through.example"],
      to: [{ name: "none", port: 443 }],
    }),
    route("TLSRoute", "alt", { section: "alt", to: [{ name: "b3", port: 70 }] }),
    route("TLSRoute", "ended", { section: "ended", hostnames: ["ended.example"], to: [{ name: "b3", port: 70 }] }),
    {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "authority", namespace: "ns" },
      data: { "ca.crt": pki.ca.certificate },
    },
    ...service("secured", [backends[0]]),
    ...service("wrong", [backends[0]]),
    policy("secured", "backend.example"),
    policy("wrong", "other.example"),
    ...["secured", "wrong"].map((name) =>
      route("TLSRoute", name, { section: name, hostnames: [`${name}.example`], to: [{ name, port: 443 }] }),
    ),
    route("TCPRoute", "plain", { section: "plain", to: [{ name: "b2", port: 70 }] }),
    route("TCPRoute", "plain-secured", { section: "plain-secured", to: [{ name: "by-secret", port: 443 }] }),
    ...service("by-secret", [backends[1]]),
    policy("by-secret", "backend.example", "Secret"),
    {
      ...{ apiVersion: "v1", kind: "Secret", metadata: { name: "authority", namespace: "ns" } },
      data: { "ca.crt": base64(pki.ca.certificate) },
    },
    route("TLSRoute", "partly", {
      section: "partly",
      hostnames: ["partly.example"],
      to: [
        { name: "secured", port: 443, weight: 2 },
        { name: "b3", port: 70, weight: 1 },
        { name: "gone", port: 70, weight: 1 },
      ],
    }),
  ] as unknown as KubernetesObject[];
}

function tcp(port: number): Promise<string> {
  return new Promise((resolve) => {
    let got = "";
    const socket = connect({ port, host: address }, () => socket.write("hello"));
    socket.on("data", (data) => (got += data)).on("close", () => resolve(got === "" ? "closed" : got));
    socket.on("error", () => {});
  });
}

function tls(servername: string): Promise<string> {
  return new Promise((resolve) => {
    let got = "";
    const socket = tlsConnect({ port: 9443, host: address, servername, rejectUnauthorized: false }, () =>
      socket.write("hello"),
    );
    socket.on("data", (data) => (got += data)).on("close", () => resolve(got === "" ? "closed" : got));
    socket.on("error", () => {});
  });
}

/** Returns the common name of the certificate that a client gets. */
async function shownTo(servername: string): Promise<string> {
  const socket = tlsConnect({ port: 9443, host: address, servername, rejectUnauthorized: false });
  await once(socket, "secureConnect");
  const { subject: name } = socket.getPeerCertificate();
  socket.destroy();
  return String(name.CN);
}

const udp = (port: number): Promise<string> => datagramAnswer("ping", port, address);

const tally = (answers: readonly string[]) =>
  Object.fromEntries([...Map.groupBy(answers, (one) => one).entries()].map(([one, all]) => [one, all.length]).sort());

test("a TCPRoute and a UDPRoute may have one port number, and the older of two routes is served", async () => {
  expect(await tcp(5432)).toBe("61 hello");
  expect(await udp(53)).toBe("61 ping");
  expect(await tcp(53)).toBe("62 hello");
  expect(problems.map(sentence)).toEqual([
    "spec.rules[0].backendRefs[1]: Service ns/gone not found; its share of the connections is refused",
    "spec.rules[0]: the older UDPRoute ns/dns has listener ns/gw/dns; this route gets no datagrams of it",
    "spec.rules[0]: the older TCPRoute ns/db has listener ns/gw/db; this route gets no connections of it",
    "spec.rules[0].backendRefs: gives every backend the weight 0; all connections are refused",
    "spec.rules[0].backendRefs[2]: Service ns/gone not found; its share of the connections is refused",
  ]);
});

test("connections are distributed by weight, and those for a missing backend are refused", async () => {
  const many = (port: number, count: number) => Promise.all(Array.from({ length: count }, () => tcp(port)));
  const shares = tally(await many(5433, 200));
  expect(Object.keys(shares)).toEqual(["61 hello", "62 hello"]);
  expect(shares["61 hello"]).toBeGreaterThan(130);
  expect(shares["61 hello"]).toBeLessThan(170);
  const halves = tally(await many(5434, 200));
  expect(Object.keys(halves)).toEqual(["61 hello", "closed"]);
  expect(halves.closed).toBeGreaterThan(50);
  expect(halves.closed).toBeLessThan(150);
  expect(await tcp(5435), "a listener without a route").toBe("closed");
});

test("a client that has ended its part gets the answer to it", async () => {
  const answerOf = (socket: Socket) =>
    new Promise<string>((resolve) => {
      let got = "";
      socket.on("data", (data) => (got += data)).on("end", () => resolve(got === "" ? "closed" : got));
      socket.on("error", () => {});
    });
  const plain = connect({ port: 5438, host: address }, () => plain.end("hello"));
  expect(await answerOf(plain)).toBe("64 hello");
  const port = 5439;
  const secure = tlsConnect({ port, host: address, servername: "late.example", rejectUnauthorized: false }, () =>
    secure.end("hello"),
  );
  expect(await answerOf(secure)).toBe("64 hello");
});

test("backends whose weights are all 0 get no connection", async () => {
  expect(await tcp(5436)).toBe("closed");
});

test("a Service of another namespace gets connections only while a ReferenceGrant for this kind of route permits it", async () => {
  const grant = (kind: string) => ({
    apiVersion: `${group}/v1beta1`,
    kind: "ReferenceGrant",
    metadata: { ...metadata("grant"), namespace: "other" },
    spec: { from: [{ group, kind, namespace: "ns" }], to: [{ group: "", kind: "Service" }] },
  });
  const foreign = route("TCPRoute", "foreign", {
    section: "foreign",
    to: [{ name: "theirs", namespace: "other", port: 70 }],
  });
  const refused =
    "spec.rules[0].backendRefs[0]: no ReferenceGrant of namespace other permits TCPRoutes of namespace ns to use Service other/theirs; its share of the connections is refused";
  await subject.apply([...service("theirs", [backends[2]], "other"), grant("UDPRoute"), foreign] as never);
  await subject.settled();
  expect(await tcp(5437), "a grant for another kind").toBe("closed");
  expect(problems.map(sentence)).toContain(refused);
  await subject.apply([grant("TCPRoute")] as never);
  await subject.settled();
  await expect.poll(() => tcp(5437), { timeout: 30_000 }).toBe("63 hello");
  expect(problems.map(sentence)).not.toContain(refused);
  await subject.remove([grant("TCPRoute")] as never);
  await subject.settled();
  await expect.poll(() => tcp(5437), { timeout: 30_000 }).toBe("closed");
  await subject.remove([foreign] as never);
  await subject.settled();
});

test("on one port TLS passes through or ends, by the name that a client sends", async () => {
  expect(await tls("any.through.example")).toBe("61 any.through.example hello");
  expect(await tls("one.through.example")).toBe("62 one.through.example hello");
  expect(await tls("ended.example")).toBe("63 hello");
  expect(await tls("alt.example")).toBe("63 hello");
  expect(await shownTo("ended.example")).toBe("backend.example");
  expect(await shownTo("alt.example"), "the second certificate has the name").toBe("alt.example");
  expect(await tls("shut.through.example")).toBe("closed");
  expect(await tls("other.example")).toBe("closed");
});

test("a TCPRoute takes all connections of a listener that ends TLS, and a policy whose authority is in a Secret holds there", async () => {
  expect(await tls("plain.example")).toBe("62 hello");
  expect(await tls("plain-secured.example")).toBe("62 backend.example hello");
});

test("a backend with a BackendTLSPolicy gets TLS, and only with the required certificate", async () => {
  expect(await tls("secured.example")).toBe("61 backend.example hello");
  expect(await tls("wrong.example")).toBe("closed");
  const shares = tally(await Promise.all(Array.from({ length: 200 }, () => tls("partly.example"))));
  expect(Object.keys(shares).sort()).toEqual(["61 backend.example hello", "63 hello", "closed"]);
  expect(shares["61 backend.example hello"]).toBeGreaterThan(50);
  expect(shares["61 backend.example hello"]).toBeLessThan(150);
});

test("a route that is moved is served there at the next turn, and its former listener is closed", async () => {
  await subject.apply([route("TCPRoute", "db", { section: "db", to: [{ name: "b3", port: 70 }] })] as never);
  await subject.settled();
  // If endpoints are data, nginx queries them once a second.
  await expect.poll(() => tcp(5432), { timeout: 30_000 }).toBe("63 hello");
  await subject.remove([route("TCPRoute", "db", { section: "db", to: [] })] as never);
  await subject.settled();
  await expect.poll(() => tcp(5432), { timeout: 30_000, message: "the younger route" }).toBe("62 hello");
});

test("datagrams of a client that stays go to the endpoints that a UDPRoute has now", async () => {
  const client = createSocket("udp4");
  const ask = () =>
    new Promise<string>((resolve) => {
      client.once("message", (message) => resolve(String(message)));
      client.send("ping", 53, address);
      // A datagram may get lost.
      setTimeout(() => resolve("none"), 2_000);
    });
  try {
    await expect.poll(ask, { timeout: 30_000 }).toBe("61 ping");
    await subject.apply([route("UDPRoute", "dns", { section: "dns", to: [{ name: "b2", port: 53 }] })] as never);
    await subject.settled();
    await expect.poll(ask, { timeout: 30_000 }).toBe("62 ping");
    await subject.remove([route("UDPRoute", "dns", { section: "dns", to: [] })] as never);
    await subject.settled();
    await expect.poll(ask, { timeout: 30_000, message: "the younger route" }).toBe("63 ping");
  } finally {
    client.close();
  }
});
