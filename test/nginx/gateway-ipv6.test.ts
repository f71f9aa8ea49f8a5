/**
 * Routes of every kind to backends with IPv6 addresses, alone and beside IPv4 ones, on a Gateway
 * with an address of each family.
 */
import { createSocket, type Socket as Datagrams } from "node:dgram";
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { connect as connectHttp2, createServer as createHttp2Server } from "node:http2";
import { createServer as createSecureServer } from "node:https";
import { connect, createServer as createTcpServer, type Server } from "node:net";
import { createServer as createTlsServer, connect as tlsConnect } from "node:tls";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import type { KubernetesObject } from "../../src/core/model/objects.ts";
import { type Problem, sentence } from "../../src/core/model/problem.ts";
import { type Subject, startSubject } from "../parity/subject.ts";
import {
  authorities,
  backendTLSPolicy,
  gateway,
  gatewayClass,
  grpcRoute,
  namespace,
  type RouteSketch,
  route,
} from "../support/gateways.ts";
import { sharedPki } from "../support/pki.ts";
import { datagramAnswer } from "./support/datagram.ts";
import { request } from "./support/request.ts";
import { until } from "./support/until.ts";

const [six, four] = ["2001:db8::1", "192.0.2.61"];
const addresses = ["192.0.2.10", six] as const;
const ports = { http: 7180, h2c: 7181, https: 7182, tcp: 7183, tls: 7184, udp: 7185 };
const closing: { close(): unknown }[] = [];
/** The addresses of backends that got a copy. */
const copied: string[] = [];
let subject: Subject;
let problems: readonly Problem[] = [];

async function startBackend(host: string): Promise<(Server | Datagrams)[]> {
  const { backend } = await sharedPki();
  const pair = { cert: backend.certificate, key: backend.key };
  const answer: RequestListener = ({ url, headers }, response) => {
    if (url === "/copied" && headers.host === "copies.example") copied.push(host);
    response.end(host);
  };
  const calls = createHttp2Server().listen(ports.h2c, host);
  calls.on("stream", (stream) => {
    stream.respond({ "content-type": "application/grpc", backend: host }, { waitForTrailers: true });
    stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": "0" }));
    stream.resume().on("end", () => stream.end());
  });
  const udp = createSocket(host.includes(":") ? "udp6" : "udp4").bind(ports.udp, host);
  udp.on("message", (_, { port, address }) => udp.send(host, port, address));
  return [
    calls,
    udp,
    createServer(answer).listen(ports.http, host),
    createSecureServer(pair, answer).listen(ports.https, host),
    createTcpServer((socket) => socket.on("error", () => {}).end(host)).listen(ports.tcp, host),
    createTlsServer(pair, (socket) => socket.on("error", () => {}).end(host)).listen(ports.tls, host),
  ];
}

const declared = Object.entries(ports).map(([name, port]) => {
  const appProtocol = name === "h2c" ? { appProtocol: "kubernetes.io/h2c" } : {};
  return { name, port, protocol: name === "udp" ? "UDP" : "TCP", ...appProtocol };
});

const service = (name: string, hosts: readonly string[]) => [
  { apiVersion: "v1", kind: "Service", metadata: { name, namespace: "ns" }, spec: { ports: declared } },
  ...hosts.map((host) => ({
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: {
      name: `${name}-${host === six ? 6 : 4}`,
      namespace: "ns",
      labels: { "kubernetes.io/service-name": name },
    },
    addressType: host === six ? "IPv6" : "IPv4",
    endpoints: [{ addresses: [host] }],
    ports: declared,
  })),
];

const streamRoute = (kind: string, name: string, sketch: RouteSketch): KubernetesObject => {
  const one = route({ name, ...sketch, parent: { sectionName: name } });
  return { ...one, kind } as KubernetesObject;
};
const to = (name: string, port: number, filters?: readonly object[]) => [
  { backendRefs: [{ name, port }], ...(filters === undefined ? {} : { filters }) },
];
/** The backend itself expects TLS and fails, so only the copy counts. */
const copies = [{ type: "RequestMirror", requestMirror: { backendRef: { name: "six", port: ports.http } } }];

beforeAll(async () => {
  const { ca, alt } = await sharedPki();
  const base64 = (text: string) => Buffer.from(text).toString("base64");
  const pair = { "tls.crt": base64(alt.certificate), "tls.key": base64(alt.key) };
  closing.push(...(await Promise.all([six, four].map(startBackend))).flat());
  const listeners = [
    { name: "http", port: 8280, protocol: "HTTP" },
    { name: "calls", port: 8281, protocol: "HTTPS", tls: { certificateRefs: [{ name: "pair" }] } },
    { name: "tcp", port: 8282, protocol: "TCP" },
    { name: "both", port: 8283, protocol: "TCP" },
    { name: "udp", port: 8284, protocol: "UDP" },
    { name: "tls", port: 8285, protocol: "TLS", hostname: "tls.example", tls: { mode: "Passthrough" as const } },
  ];
  const spec = { addresses: addresses.map((value) => ({ value })) };
  const objects = [
    ...[gatewayClass(), namespace("ns"), gateway({ listeners, spec } as never)],
    ...[...service("six", [six]), ...service("both", [six, four]), ...service("secured", [six])],
    authorities("ca", ca.certificate),
    { apiVersion: "v1", kind: "Secret", metadata: { name: "pair", namespace: "ns" }, data: pair },
    backendTLSPolicy({ service: "secured", section: "https", validation: { hostname: "backend.example" } as never }),
    route({ name: "plain", hostnames: ["six.example"], rules: to("six", ports.http) }),
    route({ name: "both", hostnames: ["both.example"], rules: to("both", ports.http) }),
    route({ name: "copies", hostnames: ["copies.example"], rules: to("both", ports.https, copies) }),
    route({ name: "secured", hostnames: ["secured.example"], rules: to("secured", ports.https) }),
    grpcRoute({ hostnames: ["calls.example"], parent: { sectionName: "calls" }, rules: to("six", ports.h2c) }),
    streamRoute("TCPRoute", "tcp", { rules: to("six", ports.tcp) }),
    streamRoute("TCPRoute", "both", { rules: to("both", ports.tcp) }),
    streamRoute("UDPRoute", "udp", { rules: to("six", ports.udp) }),
    streamRoute("TLSRoute", "tls", { hostnames: ["tls.example"], rules: to("six", ports.tls) }),
  ] as unknown as KubernetesObject[];
  const flags = [
    ...["--http-port=8181", "--https-port=8183", "--default-server-port=8182", "--status-port=10346"],
    `--gateway-addresses=${addresses.join(",")}`,
  ];
  subject = await startSubject({ mode: "dynamic", flags, objects, onProblems: (all) => (problems = all) });
  await subject.settled();
});

afterAll(async () => {
  await subject.stop();
  for (const one of closing) one.close();
});

/** Returns what a server sends to a client that connects. */
function sent(host: string, port: number, servername?: string): Promise<string> {
  return new Promise((resolve) => {
    let got = "";
    const options = { host, port };
    const socket =
      servername === undefined ? connect(options) : tlsConnect({ ...options, servername, rejectUnauthorized: false });
    socket.on("data", (data) => (got += data)).on("close", () => resolve(got));
    socket.on("error", () => {});
  });
}

test("there are no problems", () => {
  expect(problems.map(sentence)).toEqual([]);
});

test.each(addresses)("requests to %s reach backends with IPv6 addresses", async (address) => {
  const at = address.includes(":") ? `[${address}]` : address;
  const ask = async (host: string, path = "/") => (await request({ to: `${at}:8280`, host, path })).body;
  expect(await ask("six.example")).toBe(six);
  expect(await ask("secured.example")).toBe(six);
  const both = [await ask("both.example"), await ask("both.example"), await ask("both.example")];
  expect([...new Set(both)].sort()).toEqual([four, six]);
  copied.length = 0;
  await ask("copies.example", "/copied");
  await until("the copy to arrive", () => copied.length > 0);
  expect(copied).toEqual([six]);
});

test.each(addresses)("calls of gRPC to %s reach backends with IPv6 addresses", async (address) => {
  const at = address.includes(":") ? `[${address}]` : address;
  const session = connectHttp2(`https://${at}:8281`, { servername: "calls.example", rejectUnauthorized: false });
  onTestFinished(() => void session.destroy());
  const asked = { ":method": "POST", ":path": "/a.B/C", ":authority": "calls.example", te: "trailers" };
  const stream = session.request({ ...asked, "content-type": "application/grpc" });
  stream.end();
  const [headers] = await once(stream, "response");
  expect(headers.backend).toBe(six);
});

test.each(addresses)("connections and datagrams to %s reach backends with IPv6 addresses", async (address) => {
  expect(await sent(address, 8282)).toBe(six);
  const both = await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map(() => sent(address, 8283)));
  expect([...new Set(both)].sort()).toEqual([four, six]);
  expect(await sent(address, 8285, "tls.example")).toBe(six);
  expect(await datagramAnswer("ping", 8284, address)).toBe(six);
});
