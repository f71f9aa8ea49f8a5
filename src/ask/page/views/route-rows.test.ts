import { expect, test } from "vitest";
import { Chance } from "../../../../test/support/chance.ts";
import { base, fake, ingress, put, service, slice } from "../../../../test/support/sketch.ts";
import { type KubernetesObject, keyOf } from "../../../core/model/objects.ts";
import { type Snapshot, withObjects } from "../../../core/model/snapshot.ts";
import { Table } from "../../../core/model/table.ts";
import { defaultOptions } from "../../../core/table/options.ts";
import { Translator } from "../../../core/table/translator.ts";
import { emptyInputs } from "../../../core/table/turn.ts";
import { Failures } from "../../../edges/failures.ts";
import { ServedCounts } from "../served-counts.ts";
import type { Served } from "../source.ts";
import { RouteRows } from "./route-rows.ts";
import type { PlainRoute } from "./routes.ts";

const names = ["one", "two", "three", "four", "five", "six"];
const services = ["web", "api", "old"];
const addresses = ["192.0.2.1", "192.0.2.2", "192.0.2.3"];

/** Changes a few objects of the cluster, or removes them. */
function changed(snapshot: Snapshot, chance: Chance): Snapshot {
  const [name, target] = [chance.oneOf(names), chance.oneOf(services)];
  const canary = chance.below(3) === 0 ? { canary: "true", "canary-weight": "20" } : {};
  const closed = chance.below(6) === 0 ? { "auth-type": "basic", "auth-secret": "missing" } : {};
  const paths = addresses.slice(0, 1 + chance.below(2)).map((_, at) => [`/${at === 0 ? "" : "x"}`, target] as const);
  const one = ingress({ name, host: `${chance.oneOf(names)}.example`, paths, annotations: { ...canary, ...closed } });
  const endpoints = addresses.slice(chance.below(3)).map((address) => ({
    addresses: [address],
    conditions: { ready: chance.below(3) > 0 },
  }));
  const object: KubernetesObject = chance.oneOf([one, one, service(target), { ...slice(target), endpoints }]);
  if (chance.below(4) > 0) return put(snapshot, object);
  return withObjects(snapshot, [{ kind: object.kind as "Ingress", key: keyOf(object), object: undefined }]);
}

const sorted = (rows: Iterable<PlainRoute>) => [...rows].map((row) => JSON.stringify(row)).sort();

test("after any change the rows and counts are those of a fresh start", () => {
  const chance = new Chance(24);
  let snapshot = put(
    base,
    ...names.map((name) => ingress({ name, host: `${name}.example` })),
    ...services.map((name) => service(name)),
  );
  const translator = new Translator(defaultOptions, fake);
  const [rows, counts] = [new RouteRows(new Failures(() => 0)), new ServedCounts()];
  const shown = new Set<PlainRoute>();
  const seen = new Set<string>();
  for (let turn = 0; turn < 600; turn++) {
    const { configuration } = translator.turn({ ...emptyInputs, snapshot });
    const { gone, fresh } = rows.renew(configuration, snapshot);
    for (const row of gone) expect(shown.delete(row)).toBe(true);
    for (const row of fresh) shown.add(row);
    expect(sorted(shown)).toEqual(sorted(new RouteRows(new Failures(() => 0)).renew(configuration, snapshot).fresh));
    expect(counts.of(configuration)).toEqual(new ServedCounts().of(configuration));
    for (const { state, notReady, canaries } of shown) seen.add(`${state} ${notReady > 0} ${canaries > 0}`);
    snapshot = changed(snapshot, chance);
  }
  // The changes were chosen so that each of these is shown at some time.
  for (const kind of ["ok false true", "ok true false", "no endpoints true false", "closed false false"])
    expect([...seen]).toContain(kind);
  expect(rows.renew(translator.turn({ ...emptyInputs, snapshot: base }).configuration, base).fresh.length).toBeLessThan(
    2,
  );
});

test("a change of one host computes no row of another one again", () => {
  const before = put(
    base,
    service("web"),
    slice("web", "192.0.2.1"),
    ingress({ name: "one", host: "a.example" }),
    ingress({ name: "two", host: "b.example", paths: [["/", "api"]] }),
  );
  const translator = new Translator(defaultOptions, fake);
  const rows = new RouteRows(new Failures(() => 0));
  const turn = (snapshot: Snapshot) =>
    rows.renew(translator.turn({ ...emptyInputs, snapshot }).configuration, snapshot);
  const hosts = (some: Iterable<PlainRoute>) => [...some].map(({ host }) => host).sort();
  expect(hosts(turn(before).fresh)).toEqual(["*", "a.example", "b.example"]);
  const { gone, fresh } = turn(put(before, ingress({ name: "one", host: "c.example" })));
  expect([hosts(gone), hosts(fresh)]).toEqual([["a.example"], ["c.example"]]);
});

test("an address that is not ready is counted, although nothing that is served has changed", () => {
  const snapshot = put(base, service("web"), slice("web", "192.0.2.1"), ingress({ name: "one", host: "a.example" }));
  const { configuration } = new Translator(defaultOptions, fake).turn({ ...emptyInputs, snapshot });
  const rows = new RouteRows(new Failures(() => 0));
  rows.renew(configuration, snapshot);
  const [first] = slice("web", "192.0.2.1").endpoints;
  const unready = { addresses: ["192.0.2.2"], conditions: { ready: false } };
  const next = put(snapshot, { ...slice("web"), endpoints: [first, unready] } as KubernetesObject);
  const { gone, fresh } = rows.renew(configuration, next);
  expect([...gone].map(({ host, notReady }) => [host, notReady])).toEqual([["a.example", 0]]);
  expect(fresh.map(({ host, notReady }) => [host, notReady])).toEqual([["a.example", 1]]);
});

test("a row counts the endpoints of all backends that have a weight", () => {
  const backend = (key: string, weight: number) => ({ key, port: "80", weight, upstream: `${key}/80` });
  const location = {
    ...{ path: "/", owner: undefined, canaries: [], features: { redirects: {} } },
    backends: [backend("ns/web", 1), backend("ns/api", 3), backend("ns/old", 0)],
  };
  const server = { name: "a.example", certificate: undefined, locations: [location], routes: [] };
  const upstream = (...addresses: string[]) => ({ endpoints: addresses.map((address) => ({ address, port: 80 })) });
  const web = upstream();
  const served = (api: object) =>
    ({
      servers: Table.from([["a.example", server]]),
      upstreams: Table.from<object>([
        ["ns/web/80", web],
        ["ns/api/80", api],
        ["ns/old/80", upstream("192.0.2.4")],
      ]),
      certificates: Table.empty(),
      listenerPorts: Table.empty(),
    }) as unknown as Served;
  const unready = { ...slice("api"), endpoints: [{ addresses: ["192.0.2.9"], conditions: { ready: false } }] };
  const snapshot = put(base, unready);
  const rows = new RouteRows(new Failures(() => 0));
  expect(rows.renew(served(upstream("192.0.2.2", "192.0.2.3")), snapshot).fresh).toMatchObject([
    { ready: 2, notReady: 1 },
  ]);
  const { gone, fresh } = rows.renew(served(upstream("192.0.2.2")), snapshot);
  expect(gone.size).toBe(1);
  expect(fresh).toMatchObject([{ ready: 1, notReady: 1 }]);
});

test("a row fails for a minute after an error of one of its endpoints, and others do not", () => {
  let now = 0;
  const failures = new Failures(() => now);
  const rows = new RouteRows(failures);
  const snapshot = put(
    base,
    service("web"),
    slice("web", "192.0.2.1"),
    service("api"),
    slice("api", "192.0.2.2"),
    ingress({ name: "one", host: "one.example", paths: [["/", "web"]] }),
    ingress({ name: "two", host: "two.example", paths: [["/", "api"]] }),
  );
  const { configuration } = new Translator(defaultOptions, fake).turn({ ...emptyInputs, snapshot });
  const known = new Map<string, string>();
  const states = () => {
    const { gone, fresh } = rows.renew(configuration as Served, snapshot);
    for (const { host } of gone) known.delete(host);
    for (const { host, state } of fresh) known.set(host, state);
    return [known.get("one.example"), known.get("two.example")];
  };
  expect(states()).toEqual(["ok", "ok"]);
  now = 1_000_000;
  const [endpoint] = [...configuration!.upstreams.values()].flatMap((one) =>
    one.endpoints.filter(({ address }) => address === "192.0.2.1"),
  );
  failures.errors(
    `2026/11/29 10:00:00 [error] 1#1: *1 connect() failed (111: Connection refused) while connecting to upstream, client: 127.0.0.1, server: _, request: "GET / HTTP/1.1", upstream: "http://192.0.2.1:${endpoint!.port}/", host: "one.example"`,
  );
  expect(states()).toEqual(["failing", "ok"]);
  now += 61_000;
  expect(states()).toEqual(["ok", "ok"]);
});
