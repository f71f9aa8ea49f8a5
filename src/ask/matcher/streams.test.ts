/** Decides where connections go, by port and name. */
import { expect, test } from "vitest";
import type { StreamServer } from "../../core/model/configuration.ts";
import type { GatewayStream, StreamHost } from "../../core/model/streams.ts";
import { Table } from "../../core/model/table.ts";
import { type AskedStream, closedStreams, decideStreams } from "./streams.ts";

const ports = { http: 8080, https: 8443 };
const endpoints = [{ address: "192.0.2.1", port: 1 }];
const owner = (name: string) => ({ kind: "TLSRoute", namespace: "ns", name });
const host = (hostname: string, name = hostname, more: Partial<StreamHost> = {}): StreamHost => ({
  ...{ hostname, certificates: undefined, route: owner(name) },
  backends: [{ weight: 1, service: `ns/${name}:1`, endpoints }],
  ...more,
});
const gateway = (
  id: string,
  protocol: "tcp" | "udp" | "tls",
  hosts: readonly StreamHost[],
  more = {},
): GatewayStream => {
  return { kind: "gateway", id, protocol, address: undefined, listenPort: 20_000, owners: [], hosts, ...more };
};
const passed = (name: string): StreamServer => {
  return { kind: "passthrough", host: name, service: `ns/${name}:1`, owner: owner(name), endpoints };
};

const found = (streams: readonly StreamServer[], asked: AskedStream) =>
  decideStreams({ streams, certificates: Table.empty() }, asked, ports).map(({ targets, refused }) =>
    [...targets.map(({ service, share }) => `${service} ${share}`), ...(refused === undefined ? [] : [refused])].join(),
  );
const tls = (name: string, port = 443): AskedStream => ({ protocol: "tls", host: name, port });

test("a connection goes to the most specific name of its port, and never to a name of HTTP requests", () => {
  const names = [
    host("", "all"),
    host("*.a.example", "wide"),
    host("*.b.a.example", "deep"),
    host("x.a.example", "own"),
  ];
  const port = gateway("ns/gw:443", "tls", names, { requests: ["web.a.example", "*.c.a.example"] });
  const to = (name: string) => found([port], tls(name)).join();
  expect(["x.a.example", "y.a.example", "y.b.a.example", "other"].map(to)).toEqual([
    ...["ns/own:1 1", "ns/wide:1 1", "ns/deep:1 1", "ns/all:1 1"],
  ]);
  expect(["web.a.example", "y.c.a.example"].map(to)).toEqual(["", ""]);
  expect(to("192.0.2.9"), "an address is no name of a handshake").toBe("ns/all:1 1");
});

test("a port is the one that clients see, and an address selects its Gateway", () => {
  const [here, there] = ["192.0.2.10", "192.0.2.11"].map((address) =>
    gateway("ns/gw:5432", "tcp", [host("", address)], { address, listenPort: 5432 }),
  );
  const at = (name: string, port: number) => found([here!, there!], { protocol: "tcp", host: name, port });
  expect(at("192.0.2.11", 5432)).toEqual(["ns/192.0.2.11:1 1"]);
  expect(at("db.example", 5432)).toHaveLength(2);
  expect(at("192.0.2.12", 5432)).toEqual([]);
  expect(found([gateway("ns/gw:53/udp", "udp", [host("")])], { protocol: "udp", host: "x", port: 53 })).toHaveLength(1);
  expect(found([gateway("ns/gw:53/udp", "udp", [host("")])], { protocol: "tcp", host: "x", port: 53 })).toEqual([]);
  expect(at("db.example", 20_000)).toEqual([]);
});

test("on the https port the host of an Ingress comes before a wildcard of a route", () => {
  const shared = gateway("ns/gw:443", "tls", [host("*.example")], { listenPort: 8443, requests: [] });
  for (const port of [443, 8443]) {
    expect(found([passed("pay.example"), shared], tls("pay.example", port))).toEqual(["ns/pay.example:1 1"]);
    expect(found([passed("pay.example"), shared], tls("x.example", port))).toEqual(["ns/*.example:1 1"]);
  }
  expect(found([passed("pay.example")], tls("pay.example", 9443))).toEqual([]);
});

test("a stream closes the names that none of its TLS listeners has, unless its port has requests or another address", () => {
  const apart = gateway("ns/gw:443", "tls", [host("*.a.example")], { address: "192.0.2.10" });
  const closes = (stream: GatewayStream, name: string, port = 443) =>
    closedStreams([stream, passed("pay.example")], tls(name, port), ports).length === 1;
  expect(["other", "a.example", "192.0.2.10"].map((name) => closes(apart, name))).toEqual([true, true, true]);
  expect(["x.a.example", "192.0.2.11"].map((name) => closes(apart, name))).toEqual([false, false]);
  expect(closes(apart, "other", 9443)).toBe(false);
  expect(closes({ ...apart, requests: [] }, "other")).toBe(false);
  expect(closes(gateway("ns/gw:443", "tls", [host("")]), "other")).toBe(false);
  expect(closes(gateway("ns/gw:443", "tcp", []), "other")).toBe(false);
});

test.each([
  ["the listener has no route for it", { route: undefined as never, backends: [] }],
  ["the listener has no certificate", { certificates: ["ns/gone"] }],
  ["the route has no backend with a weight", { backends: [] }],
  ["no endpoint is ready", { backends: [{ weight: 1, service: "", endpoints: [] }] }],
])("a connection is refused where %s", (why, more) => {
  expect(found([gateway("ns/gw:443", "tls", [host("", "all", more)])], tls("x")).join()).toContain(why);
});
