/**
 * Random Gateways and ListenerSets of three namespaces: protocols in conflict, TLS with several
 * certificates, namespaces and kinds of allowedRoutes, and ReferenceGrants. A real nginx answers
 * each request, or ends its handshake, as the naive matcher says, and shows the certificate that it
 * names. The statuses count the routes that the matcher attaches.
 * `SLUICE_REQUESTS=100000 npm test nginx -- test/property/listeners` sends more requests, and
 * SLUICE_SEED chooses other samples.
 */
import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import { decide } from "../../src/ask/matcher/decide.ts";
import type { Served } from "../../src/ask/matcher/host.ts";
import { fakeCertificate } from "../../src/core/certificates/fake.ts";
import { issued } from "../../src/core/certificates/issue.ts";
import { forOperator, strictPolicy } from "../../src/core/kinds/asked.ts";
import type { ListenerSet } from "../../src/core/model/gateway/listener-set.ts";
import type { Gateway, GatewayListener, HTTPRoute, ReferenceGrant } from "../../src/core/model/gateway/objects.ts";
import { type KubernetesObject, keyOf, type Namespace } from "../../src/core/model/objects.ts";
import { emptySnapshot, type WatchedKind, withObjects } from "../../src/core/model/snapshot.ts";
import { defaultOptions } from "../../src/core/table/options.ts";
import { translate } from "../../src/core/table/translator.ts";
import { emptyInputs } from "../../src/core/table/turn.ts";
import { startGateways } from "../nginx/support/gateways.ts";
import { request } from "../nginx/support/request.ts";
import { Draws } from "./draws.ts";
import { type AskedRequest, attachedTo, expected, type Objects, placesOf } from "./specification.ts";

const requests = Number(process.env.SLUICE_REQUESTS ?? 3_000);
const seed = Number(process.env.SLUICE_SEED ?? 1);
const perWorld = 200;
const group = "gateway.networking.k8s.io";
const apiVersion = `${group}/v1`;
const addresses = ["127.102.0.3", "127.102.0.4"];
const ports = [18_850, 18_851];

const namespaces = ["ns", "other", "third"] as const;
const teams = { ns: "a", other: "b", third: "a" } as const;
const hosts = ["a.test", "b.a.test", "c.b.a.test", "b.test", "test"];
const hostnames = ["", "", "a.test", "b.a.test", "b.test", "*.a.test", "*.b.a.test", "*.test"];
const paths = ["/", "/a", "/a/b"];

/** The names of certificates, by the names of Secrets, which each namespace has. */
const certificates = {
  one: ["a.test", "b.test"],
  wild: ["*.a.test", "*.test"],
  below: ["b.a.test", "*.b.a.test"],
} as const;
type Pair = keyof typeof certificates;

function pairOf(name: Pair) {
  const { privateKey: key } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const subject = { organization: "test", commonName: name };
  const use = { kind: "server", names: certificates[name] } as const;
  const times = { notBefore: new Date(), notAfter: new Date(Date.now() + 86_400_000) };
  const chain = issued({ subject, issuer: subject, key, signingKey: key, ...times, use });
  const base64 = (text: string) => Buffer.from(text).toString("base64");
  return {
    "tls.crt": base64(chain),
    "tls.key": base64(key.export({ type: "pkcs8", format: "pem" }).toString()),
  };
}
const pairs = Object.fromEntries((["one", "wild", "below"] as const).map((name) => [name, pairOf(name)]));

type Owner = Gateway | ListenerSet;

function metadata(namespace: string, name: string, age = 0) {
  const creationTimestamp = new Date(1.7e12 - age * 1000).toISOString();
  return { name, namespace, uid: `${namespace}-${name}`, generation: 1, creationTimestamp };
}

function objectsOf(draw: Draws): Objects & { readonly others: KubernetesObject[] } {
  const gateways = addresses.map((value, at): Gateway => {
    const allowedListeners = { namespaces: fromOf(draw, ["All", "Same", "Selector", "None", undefined]) };
    const spec = { gatewayClassName: "sluice", addresses: [{ type: "IPAddress", value }], allowedListeners };
    const listeners = listenersOf(draw, 2 + draw.below(4));
    return { apiVersion, kind: "Gateway", metadata: metadata("ns", `g${at}`), spec: { ...spec, listeners } };
  });
  const sets = Array.from({ length: draw.below(5) }, (_, at): ListenerSet => {
    const spec = {
      parentRef: { name: `g${draw.below(addresses.length)}`, namespace: "ns" },
      listeners: listenersOf(draw, 1 + draw.below(3)),
    };
    return { apiVersion, kind: "ListenerSet", metadata: metadata(draw.of(namespaces), `s${at}`, draw.below(3)), spec };
  });
  const routes = Array.from({ length: 3 + draw.below(8) }, (_, at) => routeOf(draw, at, [...gateways, ...sets]));
  const grants = Array.from({ length: draw.below(5) }, (_, at) => grantOf(draw, at));
  const services = namespaces.flatMap((namespace) => ["one", "two"].map((name) => `${namespace}/${name}`));
  const secrets = Object.fromEntries(
    namespaces.flatMap((namespace) =>
      Object.entries(certificates).map(([name, names]) => [`${namespace}/${name}`, names] as const),
    ),
  );
  const spaces = namespaces.map(
    (name): Namespace => ({ apiVersion: "v1", kind: "Namespace", metadata: { name, labels: { team: teams[name] } } }),
  );
  const gatewayClass = { apiVersion, kind: "GatewayClass", metadata: { name: "sluice" } };
  const others = [
    { ...gatewayClass, spec: { controllerName: "sluice.dev/gateway-controller" } },
    ...Object.keys(secrets).map((key) => secretOf(key)),
    ...services.flatMap(serviceOf),
  ] as unknown as KubernetesObject[];
  return { gateways, sets, routes, grants, services, secrets, namespaces: spaces, others };
}

const fromOf = (draw: Draws, kinds: readonly (string | undefined)[]) => {
  const from = draw.of(kinds);
  const selectors = [
    { matchLabels: { team: "a" } },
    { matchExpressions: [{ key: "team", operator: "NotIn", values: ["a"] }] },
    { matchExpressions: [{ key: "team", operator: "Exists" }], matchLabels: { team: "b" } },
    {},
  ];
  return { ...(from === undefined ? {} : { from }), ...(from === "Selector" ? { selector: draw.of(selectors) } : {}) };
};

function listenersOf(draw: Draws, count: number): GatewayListener[] {
  return Array.from({ length: count }, (_, nth): GatewayListener => {
    const at = draw.below(ports.length);
    const protocol = draw.below(14) === 0 ? draw.of(["TCP", "HTTP", "HTTPS"]) : ["HTTP", "HTTPS"][at]!;
    const hostname = protocol === "TCP" ? "" : draw.of(hostnames);
    const kinds = [
      [],
      [],
      [],
      [{ kind: "HTTPRoute" }],
      [{ kind: "GRPCRoute" }],
      [{ group: "x.test", kind: "HTTPRoute" }],
    ];
    return {
      name: `l${nth}`,
      port: ports[at]!,
      protocol,
      ...(hostname === "" ? {} : { hostname }),
      ...(protocol === "HTTPS" ? { tls: { certificateRefs: refsOf(draw) } } : {}),
      allowedRoutes: { namespaces: fromOf(draw, ["All", "All", "Same", "Selector", undefined]), kinds: draw.of(kinds) },
    };
  });
}

function refsOf(draw: Draws) {
  const found = draw.some([...Object.keys(certificates), "gone"], 3);
  return (found.length === 0 ? ["one"] : found).map((name) => ({
    name,
    ...(draw.below(4) === 0 ? { namespace: draw.of(namespaces) } : {}),
  }));
}

function routeOf(draw: Draws, at: number, owners: readonly Owner[]): HTTPRoute {
  const parentRefs = draw.some(owners, 3).map(({ kind, metadata: { name, namespace } }) => ({
    kind,
    name,
    namespace: namespace!,
    ...(draw.below(4) === 0 ? { sectionName: `l${draw.below(3)}` } : {}),
    ...(draw.below(6) === 0 ? { port: draw.of(ports) } : {}),
  }));
  const rules = Array.from({ length: 1 + draw.below(2) }, () => ({
    matches: [{ path: { type: "PathPrefix", value: draw.of(paths) } }],
    backendRefs: [
      {
        name: draw.below(8) === 0 ? "gone" : draw.of(["one", "two"]),
        port: 80,
        ...(draw.below(3) === 0 ? { namespace: draw.of(namespaces) } : {}),
      },
    ],
  }));
  const names = draw.some(hostnames.slice(2), 2);
  const spec = { parentRefs, ...(names.length === 0 ? {} : { hostnames: names }), rules };
  return { apiVersion, kind: "HTTPRoute", metadata: metadata(draw.of(namespaces), `r${at}`, draw.below(3)), spec };
}

function grantOf(draw: Draws, at: number): ReferenceGrant {
  const to = draw.of([
    { group: "", kind: "Secret" },
    { group: "", kind: "Secret", name: "one" },
    { group: "", kind: "Service" },
    { group: "", kind: "Service", name: "two" },
  ]);
  const kind = to.kind === "Service" ? "HTTPRoute" : draw.of(["Gateway", "ListenerSet"]);
  const spec = { from: [{ group, kind, namespace: draw.of(namespaces) }], to: [to] };
  const version = { apiVersion: `${group}/v1`, kind: "ReferenceGrant" } as const;
  return { ...version, metadata: metadata(draw.of(namespaces), `grant${at}`), spec };
}

function secretOf(key: string) {
  const [namespace = "", name = ""] = key.split("/");
  return {
    apiVersion: "v1",
    kind: "Secret",
    type: "kubernetes.io/tls",
    metadata: metadata(namespace, name),
    data: pairs[name],
  };
}

/** Each Service has a backend of its own, by whose address the answer names it. */
function serviceOf(key: string, nth: number) {
  const [namespace = "", name = ""] = key.split("/");
  const slice = { ...metadata(namespace, name), labels: { "kubernetes.io/service-name": name } };
  return [
    {
      apiVersion: "v1",
      kind: "Service",
      metadata: metadata(namespace, name),
      spec: { ports: [{ name: "http", port: 80 }] },
    },
    {
      apiVersion: "discovery.k8s.io/v1",
      kind: "EndpointSlice",
      metadata: slice,
      addressType: "IPv4",
      endpoints: [{ addresses: [`127.103.9.${nth + 1}`], conditions: { ready: true } }],
      ports: [{ name: "http", port: 9103, protocol: "TCP" }],
    },
  ];
}

function requestOf(draw: Draws, objects: Objects): AskedRequest {
  const gateway = draw.of(objects.gateways);
  const port = draw.of(ports);
  const host = draw.of([...hosts, "x.test"]);
  const isSecure = placesOf(gateway, objects).some(
    ({ listener }) => listener.port === port && listener.protocol === "HTTPS",
  );
  const sni = draw.of([host, host, "", draw.of(hosts)]);
  return {
    gateway: gateway.metadata.name,
    port,
    host,
    path: draw.of([...paths, "/b"]),
    method: "GET",
    headers: {},
    query: [],
    ...(isSecure ? { sni } : {}),
  };
}

/** Returns what `sluice why` says of the request: a Service or a status. */
function decidedOf(served: Served, { gateway, sni, host, port, path: target }: AskedRequest): string {
  const scheme = sni === undefined ? "http" : "https";
  const named = sni === undefined ? {} : { sni };
  const asked = { scheme, host, port, target, method: "GET", headers: new Map(), ...named } as const;
  const options = { ownPaths: [], builtInPort: 0, ports: { http: 18_840, https: 18_841 } };
  const decisions = decide(served, asked, options).atListeners;
  const decision = decisions.find(({ listener }) => listener.gateway === `ns/${gateway}`);
  if (decision === undefined) return "404";
  return decision.end.kind === "answer" ? String(decision.end.status) : (decision.backends[0]?.backend.key ?? "none");
}

test(`${requests} random requests get to the listeners that the specification names`, {
  timeout: 3_600_000,
}, async () => {
  const backend = createServer((_, response) => response.end(response.socket?.localAddress)).listen(9103, "0.0.0.0");
  backend.keepAliveTimeout = 0;
  await once(backend, "listening");
  onTestFinished(() => {
    backend.closeAllConnections();
    backend.close();
  });
  const it = await startGateways(18_840);
  const fake = await fakeCertificate(new Date());
  const gateway = { ...defaultOptions.gateway, addresses };
  for (let world = 0; world * perWorld < requests; world++) {
    const draw = new Draws(seed * 1_000_003 + world);
    const objects = objectsOf(draw);
    const { gateways, sets, routes, grants = [], services = [], others } = objects;
    const all = [...others, ...objects.namespaces!, ...gateways, ...sets, ...routes, ...grants];
    const snapshot = withObjects(
      emptySnapshot,
      all.map((object) => ({ kind: object.kind as WatchedKind, key: keyOf(object), object })),
    );
    const asked = forOperator(strictPolicy);
    const { configuration, statuses } = translate(
      { ...emptyInputs, snapshot },
      { ...defaultOptions, gateway, asked },
      fake,
    );
    await it.serve(configuration);
    const about = JSON.stringify({ world, gateways, sets, routes, grants });
    for (const one of gateways) {
      for (const place of placesOf(one, objects).filter(({ isRefused }) => !isRefused)) {
        const { kind, metadata: of } = place.owner;
        const status = statuses.get(`${kind} ${of.namespace}/${of.name}`);
        const listeners = status?.kind === "Gateway" || status?.kind === "ListenerSet" ? status.listeners : [];
        const found = listeners.find(({ name }) => name === place.listener.name);
        expect(found?.attachedRoutes, `${of.name} ${place.listener.name} of ${about}`).toBe(attachedTo(place, objects));
      }
    }
    const differences = await Promise.all(
      Array.from({ length: perWorld }, () => requestOf(draw, objects)).map(async (one) => {
        const owed = expected(one, objects);
        const to = `${addresses[Number(one.gateway.slice(1))]}:${one.port}`;
        const { host, path, sni } = one;
        const answer = await request({ to, host, path, ...(sni === undefined ? {} : { sni }) }).catch(() => undefined);
        const service = services[Number(answer?.body.split(".")[3]) - 1];
        const found = answer === undefined ? "closed" : answer.status === 200 ? service : String(answer.status);
        const shown = answer?.certificate;
        const isRight = owed.secrets === undefined || owed.secrets.some((key) => key.endsWith(`/${shown}`));
        const decided = answer === undefined ? "closed" : decidedOf(configuration, one);
        return found === owed.answer && decided === owed.answer && isRight
          ? []
          : [{ world, one, found, owed, shown, decided }];
      }),
    );
    expect(differences.flat().slice(0, 3), about).toEqual([]);
  }
});
