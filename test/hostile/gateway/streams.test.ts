/**
 * Streams of the Gateway API that would lead to this machine, a link-local address or a port of
 * Sluice's own. A tenant writes the route, the Service and its EndpointSlice. A stream has no
 * status, so the client's connection is closed.
 */
import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { GatewayListener } from "../../../src/core/model/gateway/objects.ts";
import type { KubernetesObject } from "../../../src/core/model/objects.ts";
import { until } from "../../nginx/support/until.ts";
import { gateway, gatewayClass, listener } from "../../support/gateways.ts";
import { judged } from "../support/judge.ts";
import { service } from "../support/objects.ts";
import { ports, worldOf } from "../support/world.ts";

const address = "192.0.2.73";
const names = 10_399;
const world = worldOf({
  mode: "dynamic",
  flags: [`--gateway-addresses=${address}`, "--stream-port=10398", `--name-check-port=${names}`],
});

/** The addresses of the endpoints; the last one is allowed. */
const leads = [
  ...[ports.status, ports["default-server"], 10_254, 10_398, names].flatMap((port) => [
    ["127.0.0.1", port] as const,
    ["192.0.2.1", port] as const,
  ]),
  ...[["0.0.0.0", ports.status] as const, ["169.254.169.254", 80] as const, ["224.0.0.1", 53] as const],
  ...[["127.8.8.8", 80] as const, ["192.0.2.60", 0] as const],
];
const honest = leads.length - 1;
const kinds = { TCP: 5000, UDP: 5100, TLS: 5200 } as const;
type Protocol = keyof typeof kinds;
const protocols = Object.keys(kinds) as Protocol[];

/** A Service with the port 80 for TCP, and for UDP as well. */
function both(name: string, host: string, port: number): KubernetesObject[] {
  const [plain, slice] = service(name, host, port);
  const udp = { name: "udp", protocol: "UDP" };
  const spec = {
    ports: [
      { name: "http", port: 80, targetPort: port },
      { ...udp, port: 80, targetPort: port },
    ],
  };
  const ports = [
    { name: "http", port },
    { ...udp, port },
  ];
  return [Object.assign({}, plain, { spec }), Object.assign({}, slice, { ports })];
}

function streamTo(protocol: Protocol, at: number): KubernetesObject {
  const tls = protocol === "TLS" ? { hostnames: ["a.example"] } : {};
  return {
    ...{ apiVersion: "gateway.networking.k8s.io/v1", kind: `${protocol}Route` },
    metadata: { name: `${protocol.toLowerCase()}-${at}`, namespace: "ns", uid: `${protocol}${at}` },
    spec: {
      parentRefs: [{ name: "gw", sectionName: `${protocol.toLowerCase()}-${at}` }],
      ...tls,
      rules: [{ backendRefs: [{ name: `to-${at}`, port: 80 }] }],
    },
  } as KubernetesObject;
}

function listenerFor(protocol: Protocol, at: number): GatewayListener {
  const name = `${protocol.toLowerCase()}-${at}`;
  const tls = protocol === "TLS" ? { tls: { mode: "Passthrough" as const } } : {};
  return listener({ name, protocol, port: kinds[protocol] + at, ...tls } as Partial<GatewayListener>);
}

/** Returns everything that the other side sends before it closes the connection. */
const received = (port: number): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect(port, address, () => socket.write("GET /healthz HTTP/1.0\r\nHost: a.example\r\n\r\n"));
    let text = "";
    socket.setEncoding("utf8").on("data", (part) => {
      text += part;
    });
    socket.on("close", () => resolve(text));
    socket.on("error", (error: NodeJS.ErrnoException) => (error.code === "ECONNREFUSED" ? reject(error) : undefined));
  });

test("streams to forbidden addresses are closed, and a permitted stream beside them is served", async () => {
  const to = leads.flatMap(([host, port], at) => both(`to-${at}`, host, port === 0 ? world.backend.port : port));
  const all = leads.flatMap((_, at) => protocols.map((protocol) => [protocol, at] as const));
  await world.apply(
    ...[gatewayClass(), gateway({ listeners: all.map(([protocol, at]) => listenerFor(protocol, at)) })],
    ...to,
    ...all.map(([protocol, at]) => streamTo(protocol, at)),
  );
  await until("the honest stream", async () => (await received(kinds.TCP + honest)).includes("secret"));
  for (const [at, lead] of leads.slice(0, -1).entries())
    expect.soft([lead, await received(kinds.TCP + at)]).toEqual([lead, ""]);
  const conf = readFileSync(join(world.runFolder, "nginx.conf"), "utf8");
  for (const protocol of protocols)
    expect(conf).toMatch(new RegExp(`listen ${address}:${kinds[protocol] + honest}\\b`));
  expect(conf).not.toMatch(/server 192\.0\.2\.1:/);
  expect(judged({ conf, ownersAt: undefined as never, records: [] }).mistakes).toEqual([]);
});
