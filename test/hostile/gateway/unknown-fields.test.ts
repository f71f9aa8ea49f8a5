/**
 * Guards of a newer Gateway API, or of a file, that Sluice does not know. What they stand on is
 * closed: the backend `secret` never answers. What stands beside it is served as before.
 */
import { beforeEach, expect, test } from "vitest";
import type { KubernetesObject } from "../../../src/core/model/objects.ts";
import { request } from "../../nginx/support/request.ts";
import {
  backendTLSPolicy,
  gateway,
  gatewayClass,
  grant,
  listener,
  listenerSet,
  route,
  routeSettings,
} from "../../support/gateways.ts";
import { ingress, service } from "../support/objects.ts";
import { worldOf } from "../support/world.ts";

const address = "192.0.2.79";
const world = worldOf({ mode: "dynamic", flags: [`--gateway-addresses=${address}`] });
const web = { name: "web", port: 80 };
const toWeb = [{ backendRefs: [web] }];
const auth = { type: "ExternalAuth", externalAuth: { protocol: "HTTP", backendRef: web, http: {} } };
const filters = { requests: [auth] };

async function answerOf(host: string, path = "/"): Promise<string> {
  try {
    const { status, body } = await request({ to: `${address}:80`, host, path });
    return body.includes("secret") ? `${status} secret` : String(status);
  } catch {
    return "no connection";
  }
}

/** nginx listens there no more, or an older worker still does. */
const closed = expect.stringMatching(/^(404|no connection)$/);

const put = <T extends KubernetesObject>(object: T, spec: object) =>
  world.apply({ ...object, spec: { ...(object as { readonly spec?: object }).spec, ...spec } } as T);
const one = { ...listener({ name: "one", hostname: "one.example" }) };
const wide = listener({ name: "wide" });

beforeEach(() =>
  world.apply(
    gatewayClass(),
    gateway({ listeners: [one, wide] }),
    route({ hostnames: ["one.example", "two.example"] }),
  ),
);

test.each<[string, object]>([
  ["filters of version 1.7", { filters }],
  ["a filter that no version has", { filters: { requests: [{ type: "Quota", quota: {} }] } }],
  ["filters of another phase", { filters: { connections: [auth] } }],
  ["a field whose name is that of a guard", { authentication: { jwt: {} } }],
  ["a field with a guard inside", { http: { plugins: [{ kind: "JWTPolicy" }] } }],
  ["an unknown restriction of routes", { allowedRoutes: { namespaces: { from: "Same", serviceAccounts: ["a"] } } }],
  ["TLS beside a protocol without it", { tls: { mode: "Terminate", certificateRefs: [{ name: "x" }] } }],
])("a listener with %s is closed, and a wider one does not serve its host", async (_, more) => {
  expect([await answerOf("one.example"), await answerOf("two.example")]).toEqual(["200 secret", "200 secret"]);
  await world.apply(gateway({ listeners: [{ ...one, ...more }, wide] }));
  expect([await answerOf("one.example"), await answerOf("two.example")]).toEqual(["404", "200 secret"]);
  expect(world.problemsOf("gw").join()).toMatch(/spec\.listeners\[0\]\.\S+: .*the listener is not served/);
});

test("a listener of a ListenerSet with filters is closed, and that of its neighbour is not", async () => {
  const spec = { gatewayClassName: "sluice", allowedListeners: { namespaces: { from: "All" } } };
  await world.apply(gateway({ listeners: [wide], spec }));
  const listeners = ["one", "two"].map((name) => listener({ name, hostname: `${name}.example` }));
  await world.apply(listenerSet({ listeners: [{ ...listeners[0]!, filters }, listeners[1]!] }));
  const toSet = { kind: "ListenerSet", name: "set" };
  await world.apply(route({ name: "of-set", parent: toSet, hostnames: ["one.example", "two.example"] }));
  expect([await answerOf("one.example"), await answerOf("two.example")]).toEqual(["404", "200 secret"]);
  const [said] = world.problemsOf("set");
  expect(said).toContain(
    "spec.listeners[0].filters.requests[0]: Sluice serves no filters of listeners, and ExternalAuth",
  );
});

test.each<[string, object]>([
  ["TLS of the Gateway", { tls: { validateEverything: true } }],
  ["TLS towards backends", { tls: { backend: { validation: {} } } }],
  ["the Gateway", { accessPolicy: { name: "x" } }],
  [
    "an address that only some clients may reach",
    { addresses: [{ type: "IPAddress", value: address, routability: "Cluster" }] },
  ],
])("an unknown guard of %s closes all its listeners", async (_, spec) => {
  await put(gateway({ listeners: [one, wide] }), spec);
  expect([await answerOf("one.example"), await answerOf("two.example")]).toEqual([closed, closed]);
});

test.each<[string, object]>([
  ["a filter", { filters: [{ type: "RequestHeaderModifier", requestHeaderModifier: { set: [], onlyFor: "x" } }] }],
  [
    "a filter of two types",
    { filters: [{ type: "RequestHeaderModifier", requestHeaderModifier: {}, externalAuth: auth.externalAuth }] },
  ],
  ["a filter of an unknown type", { filters: [{ type: "RateLimit", rateLimit: {} }] }],
  ["a filter of a backend", { backendRefs: [{ ...web, filters: [{ type: "CORS", cors: { x: 1 } }] }] }],
  ["a field of the rule", { authorization: {} }],
  ["a field of a backend", { backendRefs: [{ ...web, tls: {} }] }],
])("a rule with an unknown guard, which is %s, answers 500", async (_, more) => {
  const match = (value: string) => [{ path: { type: "PathPrefix", value } }];
  const rules = [
    { matches: match("/guarded"), ...toWeb[0], ...more },
    { matches: match("/open"), ...toWeb[0] },
  ];
  await world.apply(route({ hostnames: ["one.example"], rules }));
  expect([await answerOf("one.example", "/guarded"), await answerOf("one.example", "/open")]).toEqual([
    "500",
    "200 secret",
  ]);
});

test("a guard outside of the rules closes the whole route", async () => {
  await put(route({ hostnames: ["one.example"] }), { filters: [auth] });
  expect(await answerOf("one.example")).toBe("500");
  expect(world.problemsOf("route")).toEqual([
    "spec.filters: is a field that Sluice does not know, and it may be a guard; the requests of the rule get 500",
  ]);
});

test("a match with an unknown condition takes no request", async () => {
  const matches = [{ path: { value: "/" }, cookies: [{ name: "staff", value: "1" }] }];
  await world.apply(route({ hostnames: ["one.example"], rules: [{ ...toWeb[0], matches }] }));
  expect(await answerOf("one.example")).toBe("404");
});

test("a field that is no guard is reported, and its object is served", async () => {
  await world.apply(gateway({ listeners: [{ ...one, colour: "red" } as never, wide] }));
  await put(route({ hostnames: ["one.example"] }), { colour: { of: "rule" }, rules: [{ ...toWeb[0], speed: 5 }] });
  expect(await answerOf("one.example")).toBe("200 secret");
  expect(world.problemsOf("gw")).toContain(
    "spec.listeners[0].colour: is a field that Sluice does not know, and it has no effect",
  );
  expect(world.problemsOf("route").toSorted()).toEqual([
    "spec.colour: is a field that Sluice does not know, and it has no effect",
    "spec.rules[0].speed: is a field that Sluice does not know, and it has no effect",
  ]);
});

test("a BackendTLSPolicy with an unknown field or option closes its targets", async () => {
  for (const spec of [{ options: { "example.com/pin": "abc" } }, { scope: "x" }]) {
    await put(backendTLSPolicy({ validation: { caCertificateRefs: [], wellKnownCACertificates: "System" } }), spec);
    expect(await answerOf("one.example")).toBe("500");
  }
  expect(world.problemsOf("policy").join()).toMatch(/spec\.scope: .*; requests to its targets get 500/);
});

test("a ReferenceGrant with an unknown restriction permits nothing", async () => {
  await world.apply(
    ...service("web", world.backend.address, world.backend.port).map((object) => ({
      ...object,
      metadata: { ...object.metadata, namespace: "other" },
    })),
  );
  await world.apply(route({ hostnames: ["one.example"], rules: [{ backendRefs: [{ ...web, namespace: "other" }] }] }));
  const permission = grant({ namespace: "other", from: "HTTPRoute", to: "Service" });
  await world.apply(permission);
  expect(await answerOf("one.example")).toBe("200 secret");
  const to = [{ group: "", kind: "Service", labels: { open: "1" } }];
  await put(permission, { to });
  expect(await answerOf("one.example")).toBe("500");
  expect(world.problemsOf("to-service")).toEqual([
    "spec.to[0].labels: is a field that Sluice does not know, and it may be a guard; it permits nothing",
  ]);
});

test("RouteSettings with a target of an unknown form close it", async () => {
  const object = routeSettings({ to: [["HTTPRoute", "route"]], values: { "proxy-read-timeout": "5" } });
  const targetRefs = [{ ...(object.spec as { targetRefs: object[] }).targetRefs[0], matchHeaders: {} }];
  await put(object, { targetRefs });
  expect(await answerOf("one.example")).toBe("503");
});

test("a GatewayClass with an unknown guard is not served", async () => {
  await put(gatewayClass(), { tlsPolicy: { name: "strict" } });
  expect(await answerOf("one.example")).toEqual(closed);
});

test("an Ingress with a field in its file that may be a guard is closed", async () => {
  const object = ingress({ name: "victim", host: "ingress.example" });
  await world.apply(object);
  expect((await world.ask("ingress.example")).status).toBe(200);
  await put(object, { tls: [{ hosts: ["ingress.example"], clientCA: "staff" }] });
  expect((await world.ask("ingress.example")).status).toBe(503);
  expect(world.problemsOf("victim")).toContain(
    "spec.tls[0].clientCA: is a field that Sluice does not know, and it may be a guard; its paths answer 503",
  );
});
