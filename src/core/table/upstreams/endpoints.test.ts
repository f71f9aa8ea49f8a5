import { expect, test } from "vitest";
import { strictPolicy } from "../../kinds/asked.ts";
import type { EndpointSlice, Service, SliceEndpoint } from "../../model/objects.ts";
import { Table } from "../../model/table.ts";
import { defaultOptions, type TranslateOptions } from "../options.ts";
import { type EndpointsQuestion, endpointsOf } from "./endpoints.ts";

const service = (spec: Service["spec"]): Service => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "s" },
  ...(spec && { spec }),
});
const slice = (
  endpoints: SliceEndpoint[],
  ports: EndpointSlice["ports"] = [{ name: "http", port: 8080 }],
): EndpointSlice => ({
  apiVersion: "discovery.k8s.io/v1",
  kind: "EndpointSlice",
  metadata: { name: "s-1" },
  addressType: "IPv4",
  endpoints,
  ports: ports ?? [],
});
const web = service({ clusterIP: "10.0.0.1", ports: [{ name: "http", port: 80, targetPort: 8080 }] });

function ask(question: Partial<EndpointsQuestion>, options: Partial<TranslateOptions> = {}): string {
  const answer = endpointsOf(
    {
      service: web,
      slices: [],
      port: "80",
      serviceUpstream: false,
      protocol: "TCP",
      addresses: Table.empty(),
      ...question,
    },
    { ...defaultOptions, ...options },
  );
  return answer.kind === "endpoints" ? answer.endpoints.map((e) => `${e.address}:${e.port}`).join(" ") : answer.kind;
}

test("the port is found by number, target port or name", () => {
  const slices = [slice([{ addresses: ["192.0.2.1"] }])];
  for (const port of ["80", "8080", "http"]) expect(ask({ slices, port })).toBe("192.0.2.1:8080");
  expect(ask({ slices, port: "81" })).toBe("no-port");
});

test("a port that a Service has for UDP and for TCP is the one for TCP", () => {
  const ports = [
    { name: "quic", port: 80, targetPort: 8053, protocol: "UDP" },
    { name: "http", port: 80, targetPort: 8080 },
  ];
  const slices = [
    slice(
      [{ addresses: ["192.0.2.1"] }],
      [
        { name: "quic", port: 8053, protocol: "UDP" },
        { name: "http", port: 8080 },
      ],
    ),
  ];
  expect(ask({ service: service({ ports }), slices })).toBe("192.0.2.1:8080");
});

test("endpoints that are not ready are left out, a missing condition means ready, and equal ones are merged", () => {
  const slices = [
    slice([{ addresses: ["192.0.2.2"], conditions: { ready: false } }, { addresses: ["192.0.2.3"] }]),
    slice([{ addresses: ["192.0.2.3"], conditions: { ready: true } }, { addresses: ["192.0.2.1"] }]),
  ];
  expect(ask({ slices })).toBe("192.0.2.1:8080 192.0.2.3:8080");
});

test("a terminating endpoint that still serves is used only when no other is ready", () => {
  const draining = { addresses: ["192.0.2.9"], conditions: { ready: false, serving: true, terminating: true } };
  expect(ask({ slices: [slice([draining])] })).toBe("192.0.2.9:8080");
  expect(ask({ slices: [slice([draining, { addresses: ["192.0.2.1"] }])] })).toBe("192.0.2.1:8080");
});

test("a numeric target port is used where no port of the slice fits, and a named one is not", () => {
  const slices = [slice([{ addresses: ["192.0.2.1"] }], [{ name: "other", port: 9 }])];
  expect(ask({ slices })).toBe("192.0.2.1:8080");
  expect(ask({ slices, service: service({ ports: [{ name: "http", port: 80, targetPort: "web" }] }) })).toBe("");
  expect(ask({ slices, service: service({ ports: [{ port: 80, targetPort: "web" }] }) })).toBe("192.0.2.1:9");
});

test("a slice that has only ports of another protocol has no endpoint", () => {
  const slices = [slice([{ addresses: ["192.0.2.1"] }], [{ name: "http", port: 9, protocol: "UDP" }])];
  expect(ask({ slices })).toBe("");
});

test("loopback endpoints are refused in a cluster and accepted on a single machine", () => {
  const slices = [slice([{ addresses: ["127.0.0.1"] }])];
  expect(ask({ slices })).toBe("");
  expect(ask({ slices }, { asked: { ...strictPolicy, loopback: true } })).toBe("127.0.0.1:8080");
});

test("service-upstream means the cluster address, or the endpoints of a headless Service", () => {
  const slices = [slice([{ addresses: ["192.0.2.1"] }])];
  expect(ask({ slices, serviceUpstream: true, port: "http" })).toBe("10.0.0.1:80");
  const headless = service({ clusterIP: "None", ports: [{ name: "http", port: 80, targetPort: 8080 }] });
  expect(ask({ slices, service: headless, serviceUpstream: true })).toBe("192.0.2.1:8080");
});

test("only endpoints that are hinted for the zone are used, if every endpoint has hints and one fits", () => {
  const hinted = (address: string, zone: string) => ({ addresses: [address], hints: { forZones: [{ name: zone }] } });
  const both = [slice([hinted("192.0.2.1", "a"), hinted("192.0.2.2", "b")])];
  expect(ask({ slices: both }, { zone: "b" })).toBe("192.0.2.2:8080");
  expect(ask({ slices: both }, { zone: "c" })).toBe("192.0.2.1:8080 192.0.2.2:8080");
  expect(ask({ slices: [slice([hinted("192.0.2.1", "a"), { addresses: ["192.0.2.2"] }])] }, { zone: "a" })).toBe(
    "192.0.2.1:8080 192.0.2.2:8080",
  );
});

test.each([
  ["web.example", "80", "198.51.100.1:80"],
  ["WEB.example", "9000", "198.51.100.1:9000"],
  ["198.51.100.7", "80", "198.51.100.7:80"],
  ["unknown.example", "80", ""],
  ["localhost", "80", "unusable"],
  ["127.0.0.1", "80", "unusable"],
  ["not a name", "80", "unusable"],
  ["169.254.169.254", "80", "unusable"],
  ["0.0.0.0", "80", "unusable"],
  ["gone.example", "80", "unusable"],
  ["own.example", "80", "unusable"],
  ["rebinding.example", "80", "198.51.100.2:80"],
])("an ExternalName %s with port %s has the endpoints %j", (externalName, port, expected) => {
  const addresses = Table.from([
    ["web.example", ["198.51.100.1"]],
    ["gone.example", []],
    ["own.example", ["::ffff:7f00:1", "fe80::1"]],
    ["rebinding.example", ["127.0.0.1", "198.51.100.2"]],
  ] as const);
  expect(ask({ service: service({ type: "ExternalName", externalName }), port, addresses })).toBe(expected);
});

test("a slice with many addresses and ports has only some endpoints, and a Problem says that the others are too many", () => {
  const addresses = Array.from({ length: 200 }, (_, at) => `10.0.0.${at}`);
  const endpoints = Array.from({ length: 100 }, () => ({ addresses }));
  const ports = (some: number) => Array.from({ length: some }, (_, at) => ({ name: `p${at}`, port: at + 1 }));
  const answer = (declared: Service["spec"], port: string) =>
    endpointsOf(
      {
        service: service(declared),
        slices: [slice(endpoints, ports(20_000))],
        port,
        serviceUpstream: false,
        protocol: "TCP",
        addresses: Table.empty(),
      },
      defaultOptions,
    );
  expect(answer({ ports: [{ port: 80 }] }, "80")).toMatchObject({ most: 10_000, endpoints: { length: 10_000 } });
  // The more ports a Service has, the fewer endpoints each of them gets.
  expect(answer({ ports: ports(2_000) }, "7")).toMatchObject({ most: 100, endpoints: { length: 100 } });
});
