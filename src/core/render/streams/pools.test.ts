import { expect, test } from "vitest";
import type { StreamServer } from "../../model/configuration.ts";
import type { StreamBackend } from "../../model/streams.ts";
import { hostPool, poolsOf, streamRecords, withoutEndpoints } from "./pools.ts";

const backend = (weight: number, ...addresses: string[]): StreamBackend => {
  return { weight, service: "", endpoints: addresses.map((address) => ({ address, port: 5432 })) };
};

const port = { id: "shop/public:5432", protocol: "tcp", address: undefined, listenPort: 5432, owners: [] } as const;
const stream = (...backends: StreamBackend[]): StreamServer => {
  return { kind: "gateway", ...port, hosts: [{ hostname: "", certificates: undefined, backends }] };
};
const pool = hostPool(port, { hostname: "" });

const service = (...addresses: string[]): StreamServer => ({
  ...{ kind: "tcp", port: 9000, label: "tcp-shop-db-5432", service: "shop/db:5432" },
  ...{ acceptProxyProtocol: false, sendProxyProtocol: false },
  endpoints: addresses.map((address) => ({ address, port: 5432 })),
});

test.each([
  ["other endpoints", stream(backend(1, "192.0.2.1")), stream(backend(1, "192.0.2.2", "192.0.2.3"))],
  ["other weights", stream(backend(1, "a"), backend(1, "b")), stream(backend(7, "a"), backend(3, "b"))],
  ["one more backend", stream(backend(1, "a")), stream(backend(1, "a"), backend(1, "b"))],
  ["no endpoint at all", stream(backend(1, "a")), stream(backend(1))],
  ["another endpoint of a TCP service", service("a"), service("b", "c")],
])("%s leave the text as it is", (_what, before, after) => {
  expect(withoutEndpoints([after])).toEqual(withoutEndpoints([before]));
  expect(streamRecords([after])).not.toEqual(streamRecords([before]));
});

test.each([
  ["no backend", stream()],
  ["a backend of several without endpoints", stream(backend(3, "a"), backend(1))],
])("%s makes another text, which refuses its share of connections", (_what, other) => {
  expect(withoutEndpoints([other])).not.toEqual(withoutEndpoints([stream(backend(1, "a"))]));
});

test("the text has the refused share, and the pool has the others by their weights", () => {
  const some = [stream(backend(3, "a"), backend(2), backend(1, "b", "c"))];
  const [text] = withoutEndpoints(some);
  const hosts = text?.kind === "gateway" ? text.hosts : [];
  expect(hosts[0]?.backends.map(({ weight, endpoints }) => [weight, endpoints.length])).toEqual([
    [4, 1],
    [2, 0],
  ]);
  expect([...streamRecords(some)]).toEqual([[`stream ${pool}`, '[["a",5432,6],["b",5432,1],["c",5432,1]]']]);
});

test("a pool without endpoints has an unreachable address in DNS, and none in the text", () => {
  expect([...streamRecords([stream(backend(1))])]).toEqual([[`stream ${pool}`, '[["127.0.0.1",0,1]]']]);
  expect(poolsOf([stream(backend(1))])).toEqual([{ name: pool, endpoints: [] }]);
});

test("weights are reduced to the range that DNS allows", () => {
  const [record] = streamRecords([stream(backend(1_000_000, "a"), backend(1, "b"))]).values();
  expect(record).toBe('[["a",5432,65535],["b",5432,1]]');
});
