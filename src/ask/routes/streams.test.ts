/** The rows of streams in `sluice routes`. */
import { expect, test } from "vitest";
import { emptySnapshot } from "../../core/model/snapshot.ts";
import type { GatewayStream } from "../../core/model/streams.ts";
import { Table } from "../../core/model/table.ts";
import { allRoutesOf } from "./streams.ts";

const owner = (kind: string, name: string) => ({ apiVersion: "", kind, namespace: "data", name });
const endpoints = [
  { address: "192.0.2.1", port: 5432 },
  { address: "2001:db8::1", port: 5432 },
];
const plain = { kind: "gateway", address: undefined, owners: [] } as const;
const streams: readonly GatewayStream[] = [
  {
    ...plain,
    ...{ id: "data/gw:5432", protocol: "tcp", listenPort: 20_000 },
    hosts: [
      {
        hostname: "",
        certificates: undefined,
        route: owner("TCPRoute", "db"),
        backends: [
          { weight: 9, service: "data/db:5432", endpoints },
          { weight: 1, service: "", endpoints: [] },
        ],
      },
    ],
  },
  {
    ...plain,
    ...{ id: "data/gw:443", protocol: "tls", listenPort: 20_001 },
    hosts: [
      { hostname: "closed.example", certificates: undefined, backends: [] },
      {
        hostname: "*.db.example",
        certificates: ["data/pair"],
        route: owner("TLSRoute", "tls"),
        backends: [{ weight: 1, service: "data/db:5432", endpoints }],
      },
    ],
  },
];
const pair = { id: "data/pair", notAfter: new Date("2027-01-01T00:00:00Z") };
const served = { streams, servers: Table.empty(), certificates: Table.empty().with([["data/pair", pair]]) };

const rows = (host?: string) =>
  allRoutesOf(served as never, emptySnapshot, host).map((one) =>
    [one.host + one.path, one.type, one.route?.kind, one.ingress, one.service, one.endpoints.length].join(" "),
  );

test("a stream is listed by its name and the port that clients see, with its route", () => {
  expect(rows()).toEqual([
    "*:5432 TCP TCPRoute data/db data/db:5432 (9) 2",
    "*.db.example:443 TLS ended TLSRoute data/tls data/db:5432 2",
  ]);
  expect(rows("a.db.example")).toHaveLength(2);
  expect(rows("other.example")).toEqual(["*:5432 TCP TCPRoute data/db data/db:5432 (9) 2"]);
  const [, ended] = allRoutesOf(served as never, emptySnapshot);
  expect(ended?.endpoints).toEqual(["192.0.2.1:5432", "[2001:db8::1]:5432"]);
  expect(ended?.certificate).toEqual({ secret: "data/pair", expires: "2027-01-01T00:00:00.000Z" });
});
