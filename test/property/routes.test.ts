/**
 * Random Gateways and ListenerSets with HTTPRoutes and GRPCRoutes, translated and rendered, on a
 * real nginx. Each request goes where a naive reading of the specification says, and `sluice why`
 * names the same Service.
 * `SLUICE_REQUESTS=100000 npm test nginx -- test/property` sends more requests, and SLUICE_SEED
 * chooses other samples.
 */
import { once } from "node:events";
import { createServer } from "node:http";
import { createServer as createHttp2Server } from "node:http2";
import { Pool } from "undici";
import { expect, onTestFinished, test } from "vitest";
import { decide } from "../../src/ask/matcher/decide.ts";
import type { Served } from "../../src/ask/matcher/host.ts";
import { fakeCertificate } from "../../src/core/certificates/fake.ts";
import { forOperator, strictPolicy } from "../../src/core/kinds/asked.ts";
import type { ListenerSet } from "../../src/core/model/gateway/listener-set.ts";
import type { Gateway, HTTPRoute } from "../../src/core/model/gateway/objects.ts";
import type { GRPCRoute } from "../../src/core/model/gateway/routes.ts";
import { type KubernetesObject, keyOf } from "../../src/core/model/objects.ts";
import { emptySnapshot, type WatchedKind, withObjects } from "../../src/core/model/snapshot.ts";
import { defaultOptions } from "../../src/core/table/options.ts";
import { translate } from "../../src/core/table/translator.ts";
import { emptyInputs } from "../../src/core/table/turn.ts";
import { startGateways } from "../nginx/support/gateways.ts";
import { Draws } from "./draws.ts";
import { type AskedRequest, expected, type Objects } from "./specification.ts";

const requests = Number(process.env.SLUICE_REQUESTS ?? 4_000);
const seed = Number(process.env.SLUICE_SEED ?? 1);
const perWorld = 400;
const apiVersion = "gateway.networking.k8s.io/v1";
const addresses = ["127.102.0.1", "127.102.0.2"];
const ports = [18_850, 18_851];

const hosts = ["a.test", "b.a.test", "c.b.a.test", "b.test", "x.test", "test"];
const hostnames = [...hosts.slice(0, 4), "*.a.test", "*.b.a.test", "*.test"];
const slots = ports.flatMap((port) => ["", ...hostnames].map((hostname) => ({ port, hostname })));
const setCount = 4;
const paths = ["/", "/a", "/a/", "/a/b", "/a/b/c", "/ab", "/b", "/b/c/", "/a/b/c/d"];
const patterns = ["/a/.*", "/[ab]", "/a(/b)?(/c)?", ".*", "/.*/c"];
const names = ["one", "Two"];
const values = ["x", "y", "a b"];
const methods = ["GET", "POST", "PUT"];
const callServices = ["a", "ab", "b", "a/b"];
const callMethods = ["b", "c", "x"];
const grpc = "application/grpc";

type SomeRoute = HTTPRoute | GRPCRoute;

function objectsOf(draw: Draws): Objects & { readonly others: KubernetesObject[] } {
  const gateways = addresses.map((value, at): Gateway => {
    const listeners = listenersOf([{ port: ports[0]!, hostname: draw.of(["", "*.test"]) }, ...draw.some(slots, 5)]);
    const allowedListeners = { namespaces: { from: "Same" } };
    const spec = { gatewayClassName: "sluice", addresses: [{ type: "IPAddress", value }], listeners, allowedListeners };
    return { apiVersion, kind: "Gateway", metadata: metadata(`g${at}`, 0), spec } as Gateway;
  });
  const sets = Array.from({ length: draw.below(setCount + 1) }, (_, at): ListenerSet => {
    const listeners = listenersOf([draw.of(slots), ...draw.some(slots, 3)]);
    const spec = { parentRef: { name: `g${draw.below(addresses.length)}` }, listeners };
    return { apiVersion, kind: "ListenerSet", metadata: metadata(`s${at}`, draw.below(3)), spec };
  });
  const routes = Array.from({ length: 3 + draw.below(12) }, (_, at) => routeOf(draw, at));
  const services = [
    ...new Map(
      routes.flatMap(({ kind, spec }) => (spec?.rules ?? []).map((one) => [one.backendRefs![0]!.name, kind] as const)),
    ),
  ].map(([name, kind]) => ({ name, at: kind === "GRPCRoute" ? 9101 : 9100 }));
  const others = services.flatMap(({ name, at }, nth) => [
    {
      apiVersion: "v1",
      kind: "Service",
      metadata: metadata(name, 0),
      spec: { ports: [{ name: "http", port: 80, targetPort: at }] },
    },
    {
      apiVersion: "discovery.k8s.io/v1",
      kind: "EndpointSlice",
      metadata: { ...metadata(name, 0), labels: { "kubernetes.io/service-name": name } },
      addressType: "IPv4",
      endpoints: [{ addresses: [addressOf(nth)], conditions: { ready: true } }],
      ports: [{ name: "http", port: at, protocol: "TCP" }],
    },
  ]);
  const gatewayClass = {
    apiVersion,
    kind: "GatewayClass",
    metadata: { name: "sluice" },
    spec: { controllerName: "sluice.dev/gateway-controller" },
  };
  return { gateways, sets, routes, others: [gatewayClass, ...others] as unknown as KubernetesObject[] };
}

/**
 * Makes listeners with the names `l0`, `l1` and so on, which listeners of other objects have as
 * well.
 */
function listenersOf(asked: readonly { readonly port: number; readonly hostname: string }[]) {
  return asked
    .filter((one, nth, all) => all.findIndex((o) => o.port === one.port && o.hostname === one.hostname) === nth)
    .map(({ port, hostname }, nth) => ({
      name: `l${nth}`,
      port,
      protocol: "HTTP",
      ...(hostname === "" ? {} : { hostname }),
      allowedRoutes: { namespaces: { from: "All" } },
    }));
}

/** Returns the address of the backend of a Service. */
const addressOf = (nth: number) => `127.103.${nth >> 8}.${(nth & 255) + 1}`;

function metadata(name: string, age: number) {
  return {
    name,
    namespace: "ns",
    uid: name,
    generation: 1,
    creationTimestamp: new Date(1.7e12 - age * 1000).toISOString(),
  };
}

function routeOf(draw: Draws, at: number): SomeRoute {
  const conditions = (count: number) =>
    draw
      .some(names, count)
      .map((name) =>
        draw.below(4) === 0
          ? { type: "RegularExpression", name, value: draw.of(["[xy]", "a.*", "x|y"]) }
          : { type: "Exact", name, value: draw.of(values) },
      );
  const isForCalls = draw.below(3) === 0;
  const call = () => ({
    ...(draw.below(5) === 0 ? {} : { method: callOf(draw) }),
    ...(draw.below(3) === 0 ? { headers: conditions(2) } : {}),
  });
  const match = () => ({
    ...(draw.below(6) === 0 ? {} : { path: pathOf(draw) }),
    ...(draw.below(4) === 0 ? { method: draw.of(methods) } : {}),
    ...(draw.below(3) === 0 ? { headers: conditions(2) } : {}),
    ...(draw.below(3) === 0 ? { queryParams: conditions(2) } : {}),
  });
  const rules = Array.from({ length: 1 + draw.below(3) }, (_, nth) => ({
    matches: Array.from({ length: 1 + draw.below(3) }, () => (isForCalls ? call() : match())),
    backendRefs: [{ name: `r${at}-${nth}`, port: 80 }],
  }));
  const parents = [
    ...addresses.map((_, nth) => ({ name: `g${nth}`, odds: 3 })),
    ...Array.from({ length: setCount }, (_, nth) => ({ kind: "ListenerSet", name: `s${nth}`, odds: 2 })),
  ];
  const parentRefs = parents.flatMap(({ odds, ...parent }) => {
    if (draw.below(odds) === 0) return [];
    const section = draw.below(4) === 0 ? { sectionName: `l${draw.below(3)}` } : {};
    return [{ ...parent, ...section, ...(draw.below(6) === 0 ? { port: draw.of(ports) } : {}) }];
  });
  const spec = { parentRefs, hostnames: draw.some(hostnames, 2), rules };
  return {
    apiVersion,
    kind: isForCalls ? "GRPCRoute" : "HTTPRoute",
    metadata: metadata(`r${draw.below(900)}-${at}`, draw.below(3)),
    spec,
  } as SomeRoute;
}

function callOf(draw: Draws) {
  const type = draw.below(3) === 0 ? { type: "RegularExpression" } : {};
  const service = draw.of(type.type === undefined ? callServices.slice(0, 3) : ["a.*", "[ab]", "a|b"]);
  const method = draw.of(type.type === undefined ? callMethods : ["[bc]", ".*", "b"]);
  const both = draw.below(4);
  return { ...type, ...(both === 0 ? {} : { service }), ...(both === 1 ? {} : { method }) };
}

function pathOf(draw: Draws) {
  const type = draw.of(["Exact", "PathPrefix", "PathPrefix", "RegularExpression"]);
  return { type, value: draw.of(type === "RegularExpression" ? patterns : paths) };
}

function requestOf(draw: Draws): AskedRequest {
  const isCall = draw.below(3) === 0;
  const pairs = (count: number) => draw.some(names, count).map((name) => [name, draw.of(values)] as const);
  return {
    gateway: `g${draw.below(addresses.length)}`,
    port: draw.of(ports),
    host: draw.of([...hosts, "y.x.test"]),
    path: isCall ? `/${draw.of(callServices)}/${draw.of(callMethods)}` : draw.of([...paths, "/a/x", "/c", "/a/b/"]),
    method: isCall && draw.below(8) > 0 ? "POST" : draw.of(methods),
    headers: {
      ...Object.fromEntries(pairs(2).map(([name, value]) => [name.toLowerCase(), value])),
      ...(isCall && draw.below(8) > 0 ? { "content-type": draw.of([grpc, `${grpc}+proto`]) } : {}),
    },
    query: [...pairs(2), ...(draw.below(5) === 0 ? pairs(1) : [])],
  };
}

const options = { ownPaths: [], builtInPort: 0, ports: { http: 18_840, https: 18_841 } };

function decidable({ port, host, method, headers }: AskedRequest, target: string) {
  return { scheme: "http", host, target, method, headers: new Map(Object.entries(headers)), port } as const;
}

/** Returns the Service that `sluice why` names for the request; undefined for the answer 404. */
function decidedOf(served: Served, one: AskedRequest, target: string): string | undefined {
  const asked = decidable(one, target);
  const decisions = decide(served, asked, options).atListeners;
  const decision = decisions.find(({ listener }) => listener.gateway === `ns/${one.gateway}`);
  if (decision?.end.kind === "unclear") return decision.end.why;
  return decision?.backends[0]?.backend.service;
}

test(`${requests} random requests get to the routes that the specification names`, { timeout: 3_600_000 }, async () => {
  const backend = createServer((request, response) => {
    request.resume();
    response.end(request.socket.localAddress);
  }).listen(9100, "0.0.0.0");
  // Otherwise the backend could close a connection while nginx sends the next request.
  backend.keepAliveTimeout = 0;
  await once(backend, "listening");
  const forCalls = createHttp2Server((request, response) => {
    response.setHeader("content-type", grpc);
    response.end(request.stream.session?.socket.localAddress ?? "");
  }).listen(9101, "0.0.0.0");
  await once(forCalls, "listening");
  onTestFinished(() => {
    backend.closeAllConnections();
    backend.close();
    forCalls.close();
  });
  const it = await startGateways(18_840);
  const fake = await fakeCertificate(new Date());
  const gateway = { ...defaultOptions.gateway, addresses };
  for (let world = 0; world * perWorld < requests; world++) {
    const draw = new Draws(seed * 1_000_003 + world);
    const objects = objectsOf(draw);
    const { gateways, sets, routes, others } = objects;
    const snapshot = withObjects(
      emptySnapshot,
      [...others, ...gateways, ...sets, ...routes].map((object) => ({
        kind: object.kind as WatchedKind,
        key: keyOf(object),
        object,
      })),
    );
    const { configuration } = translate(
      { ...emptyInputs, snapshot },
      { ...defaultOptions, gateway, asked: forOperator(strictPolicy) },
      fake,
    );
    await it.serve(configuration);
    const services = new Map(
      others.filter(({ kind }) => kind === "Service").map(({ metadata: { name } }, nth) => [name, addressOf(nth)]),
    );
    const listened = new Set([
      ...gateways.flatMap(({ metadata: { name }, spec }) =>
        (spec?.listeners ?? []).map(({ port }) => `${name}:${port}`),
      ),
      ...sets.flatMap(({ spec }) => (spec?.listeners ?? []).map(({ port }) => `${spec?.parentRef?.name}:${port}`)),
    ]);
    const pools = new Map<string, Pool>();
    const asked = Array.from({ length: perWorld }, () => requestOf(draw)).filter(({ gateway: name, port }) =>
      listened.has(`${name}:${port}`),
    );
    const differences = await Promise.all(
      asked.map(async (one) => {
        const query = one.query.map((pair) => pair.map(encodeURIComponent).join("=")).join("&");
        const origin = `http://${addresses[Number(one.gateway.slice(1))]}:${one.port}`;
        const pool = pools.get(origin) ?? new Pool(origin, { connections: 8 });
        pools.set(origin, pool);
        const path = query === "" ? one.path : `${one.path}?${query}`;
        const answer = await pool.request({
          path,
          method: one.method as "GET",
          headers: { ...one.headers, host: one.host },
        });
        const text = await answer.body.text();
        const found = answer.statusCode === 200 ? text : String(answer.statusCode);
        const { answer: owed } = expected(one, objects);
        const service = owed === "404" ? undefined : owed.replace("ns/", "");
        const wanted = service === undefined ? "404" : services.get(service);
        const decided = decidedOf(configuration, one, path);
        return found === wanted && decided === service
          ? []
          : [{ world, one, found, wanted: service ?? wanted, decided }];
      }),
    );
    // The reload for the next world closes idle connections, also while a request is on its way.
    for (const pool of pools.values()) await pool.close();
    expect(differences.flat().slice(0, 3), JSON.stringify({ gateways, sets, routes })).toEqual([]);
  }
});
