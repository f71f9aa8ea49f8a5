import { expect, test } from "vitest";
import { base, configMap, put, service, slice, turnTo } from "../../../../test/support/sketch.ts";
import type { Server } from "../../model/configuration.ts";
import { sentence } from "../../model/problem.ts";
import type { Snapshot } from "../../model/snapshot.ts";
import { Table } from "../../model/table.ts";
import { Contested } from "../../table/hosts/listener/contested.ts";
import { defaultOptions } from "../../table/options.ts";
import { Problems } from "../../table/problems.ts";
import { emptyQuarantine, type Quarantine } from "../../table/quarantine.ts";
import { ServiceEndpoints } from "../../table/upstreams/service-endpoints.ts";
import { Streams } from "./streams.ts";

const ports = (data: Record<string, string>) => configMap("ingress-nginx/tcp", data);
const world = put(base, service("db", 5432), slice("db", "192.0.2.1"), ports({ "5432": "ns/db:5432" }));
const noServers = Table.empty<Server<never>>();

function keeper() {
  const problems = new Problems();
  const options = { ...defaultOptions, tcpServicesConfigMap: "ingress-nginx/tcp" };
  const endpoints = new ServiceEndpoints(options);
  const streams = new Streams(options, endpoints, problems, { claimsOf: () => [], contested: new Contested() });
  let before: Snapshot | undefined;
  const renew = (now: Snapshot, quarantine: Quarantine = emptyQuarantine) => {
    const turn = turnTo(now, before, { quarantine });
    before = now;
    endpoints.update(turn);
    streams.renew(turn, noServers, { ports: [], requests: Table.empty(), claims: [] });
    return streams.servers;
  };
  return { renew, sentences: () => [...problems.byOwner.values()].flat().map(sentence) };
}

test("the streams are new values only when something about them changes", () => {
  const { renew } = keeper();
  const first = renew(world);
  expect(first).toMatchObject([{ endpoints: [{ address: "192.0.2.1", port: 8080 }] }]);
  const beside = put(world, service("web"), slice("web", "192.0.2.8"));
  expect(renew(beside)).toBe(first);
  expect(renew(put(beside, slice("db", "192.0.2.2")))).toMatchObject([{ endpoints: [{ address: "192.0.2.2" }] }]);
  expect(renew(put(world, ports({})))).toEqual([]);
});

test("a port that nginx refused is closed while its text is the refused one", () => {
  const { renew, sentences } = keeper();
  renew(world);
  const refused = { version: "ns/db:5432", why: "bind() to 0.0.0.0:5432 failed" };
  const quarantine = { ...emptyQuarantine, ports: new Map([["tcp/5432", refused]]) };
  expect(renew(world, quarantine)).toEqual([]);
  expect(sentences()).toEqual([
    "data.5432: bind() to 0.0.0.0:5432 failed; the port is not opened before its entry is written anew or the controller starts again",
  ]);
  expect(renew(put(world, ports({ "5432": "ns/db:5432:PROXY" })), quarantine)).toHaveLength(1);
});

test("a port is opened once, and another spelling of its number is refused", () => {
  const { renew, sentences } = keeper();
  expect(renew(put(world, ports({ "5432": "ns/db:5432", "05432": "ns/db:5432" })))).toHaveLength(1);
  expect(sentences()).toEqual(['data.05432: "05432" is not a port number; the port is not opened']);
});
