/**
 * After any history of Gateways, ListenerSets, routes and the objects to which they refer, a turn
 * has the same result as a full translation.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { drawn } from "../../../../test/support/drawn.ts";
import {
  authorities,
  backendTLSPolicy,
  bySettings,
  gateway,
  gatewayClass,
  grant,
  listener,
  listenerSet,
  namespace,
  route,
  routeSettings,
  serviceIn,
} from "../../../../test/support/gateways.ts";
import { ingress, ingressClass } from "../../../../test/support/ingress.ts";
import { fake, put } from "../../../../test/support/sketch.ts";
import { fakeCertificate } from "../../certificates/fake.ts";
import { type KubernetesObject, keyOf } from "../../model/objects.ts";
import { emptySnapshot, type WatchedKind, withObjects } from "../../model/snapshot.ts";
import { defaultOptions, type GatewayOptions } from "../../table/options.ts";
import { type Translation, Translator, translate } from "../../table/translator.ts";
import { emptyInputs } from "../../table/turn.ts";

const { chain } = await fakeCertificate(new Date("2026-01-01"));
const names = ["a", "b"] as const;
const hostname = fc.constantFrom(undefined, "a.example", "*.a.example", "x.a.example", "*.example");
const from = fc.constantFrom(undefined, "All", "Same", "None");
const listeners = fc.uniqueArray(
  fc.record({
    name: fc.constantFrom("http", "https", "other"),
    port: fc.constantFrom(80, 443, 8080),
    protocol: fc.constantFrom("HTTP", "HTTPS", "TLS", "TCP", "UDP"),
    hostname,
    from,
    secret: fc.constantFrom("tls", "other/tls"),
  }),
  { selector: ({ name }) => name, minLength: 1, maxLength: 3 },
);
type ListenerSketch = (typeof listeners extends fc.Arbitrary<infer T> ? T : never)[number];
const listenerOf = ({ hostname: host, from: namespaces, secret, ...one }: ListenerSketch) => {
  const [home, named] = secret.includes("/") ? secret.split("/") : [undefined, secret];
  const reference = { name: named!, ...(home === undefined ? {} : { namespace: home }) };
  return listener({
    ...one,
    ...(host === undefined ? {} : { hostname: host }),
    ...(namespaces === undefined ? {} : { allowedRoutes: { namespaces: { from: namespaces } } }),
    ...(["HTTPS", "TLS"].includes(one.protocol) ? { tls: { certificateRefs: [reference] } } : {}),
  });
};
const allowed = fc.constantFrom(
  undefined,
  { from: "All" },
  { from: "Same" },
  { from: "Selector", selector: { matchLabels: { team: "b" } } },
);
const gateways = fc
  .record({
    name: fc.constantFrom(...names),
    age: fc.integer({ min: 0, max: 3 }),
    listeners,
    address: fc.constantFrom(undefined, "", "192.0.2.10", "198.51.100.1"),
    kept: fc.constantFrom(undefined, "192.0.2.11"),
    allowed,
    scope: fc.constantFrom({}, { defaultScope: "All" }),
  })
  .map(({ name, age, listeners: all, address, kept, allowed: namespaces, scope }) =>
    gateway({
      name,
      age,
      listeners: all.map(listenerOf),
      spec: {
        ...(address === undefined ? {} : { addresses: [{ value: address }] }),
        ...(namespaces === undefined ? {} : { allowedListeners: { namespaces } }),
        ...scope,
      },
      ...(kept === undefined ? {} : { status: { addresses: [{ value: kept }] } }),
    }),
  );
const sets = fc
  .record({
    name: fc.constantFrom(...names),
    namespace: fc.constantFrom("ns", "other"),
    gateway: fc.constantFrom(...names),
    age: fc.integer({ min: 0, max: 3 }),
    listeners,
  })
  .map(({ listeners: all, ...sketch }) => listenerSet({ ...sketch, listeners: all.map(listenerOf) }));
const routes = fc
  .record({
    name: fc.constantFrom(...names),
    namespace: fc.constantFrom("ns", "other"),
    age: fc.integer({ min: 0, max: 3 }),
    parent: fc.record(
      {
        name: fc.constantFrom(...names),
        kind: fc.constantFrom("ListenerSet"),
        namespace: fc.constantFrom("ns", "other"),
        port: fc.constantFrom(80, 8080),
      },
      { requiredKeys: ["name"] },
    ),
    hostnames: fc.uniqueArray(fc.constantFrom("a.example", "x.a.example", "*.example"), { maxLength: 2 }),
    path: fc.constantFrom("/", "/x", "/y/"),
    beside: fc.constantFrom(
      ...[{}, { "sluice.dev/weight": "25" }, { "sluice.dev/weight": "much" }, { "sluice.dev/shadow": "true" }],
    ),
    backend: fc.constantFrom({ name: "web" }, { name: "web", namespace: "other" }, { name: "gone" }),
    defaults: fc.constantFrom({}, { useDefaultGateways: "All" }),
    rule: fc.constantFrom({}, { name: "first" }, { filters: [bySettings("a")] }),
  })
  .map(({ path, backend, rule, beside: annotations, defaults, ...sketch }) => {
    const backendRefs = [{ ...backend, port: 80 }];
    const rules = [{ ...rule, matches: [{ path: { value: path } }], backendRefs }];
    const { metadata, spec, ...rest } = route({ ...sketch, rules });
    return { ...rest, metadata: { ...metadata, annotations }, spec: { ...spec, ...defaults } };
  });
const settings = fc
  .record({
    name: fc.constantFrom(...names),
    namespace: fc.constantFrom("ns", "other"),
    age: fc.integer({ min: 0, max: 3 }),
    to: fc.constantFrom(
      undefined,
      [["Gateway", "a"]] as const,
      [["Gateway", "a", "http"]] as const,
      [["ListenerSet", "a"]] as const,
      [
        ["HTTPRoute", "a"],
        ["HTTPRoute", "b", "first"],
      ] as const,
    ),
    values: fc.constantFrom(
      {},
      { "proxy-read-timeout": 7, affinity: "cookie" },
      { "proxy-read-timeout": "soon", "limit-rps": 5 },
      { "allowlist-source-range": "10.0.0.0/8" },
      { "allowlist-source-range": "10.1.0.0/16", satisfy: "any" },
      { "auth-type": "basic", "auth-secret": "other/users" },
      { "default-backend": "web", "custom-http-errors": "503" },
      { "auth-url": "http://192.0.2.20/a" },
      { "auth-url": "http://192.0.2.20/b" },
    ),
  })
  .map(({ to, ...sketch }) => routeSettings({ ...sketch, ...(to === undefined ? {} : { to }) }));
const users: KubernetesObject = {
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name: "users", namespace: "other" },
  ...{ data: { auth: "eDp4" } },
};
const { spec: granted, ...grantToSettings } = grant({ namespace: "other", from: "RouteSettings", to: "Secret" });
const settingsGrant = {
  ...grantToSettings,
  spec: { ...granted, from: [{ group: "sluice.dev", kind: "RouteSettings", namespace: "ns" }] },
};
const ingresses = fc
  .record({
    name: fc.constantFrom(...names),
    namespace: fc.constantFrom("ns", "other"),
    host: fc.constantFrom("a.example", "x.a.example", "b.example", "*.example", undefined),
    paths: fc.uniqueArray(fc.constantFrom("/", "/x", "/y/", "/x.*"), { minLength: 1, maxLength: 2 }),
    annotations: fc.constantFrom(
      ...[{}, { "server-alias": "x.a.example" }, { "use-regex": "true" }, { "from-to-www-redirect": "true" }],
      { "ssl-ciphers": "HIGH" },
    ),
    age: fc.integer({ min: 0, max: 3 }),
  })
  .map(({ paths, age, ...words }) => {
    const metadata = { creationTimestamp: new Date(Date.UTC(2026, 0, 1) - age * 1000).toISOString() };
    return ingress({ ...words, paths: paths.map((path) => [path] as const), metadata });
  });
/** Routes for streams, with the fields that all kinds of routes have. */
const streamRoutes = fc
  .tuple(routes, fc.constantFrom("TCPRoute", "UDPRoute", "TLSRoute"))
  .map(([one, kind]) => ({ ...one, kind }) as KubernetesObject);
const gone = (kind: WatchedKind, ...keys: string[]) => fc.constantFrom(...keys).map((key) => ({ kind, key }));
const step = fc.oneof(
  gateways,
  sets,
  routes,
  ingresses,
  gone("Ingress", "ns/a", "other/a", "ns/b"),
  streamRoutes,
  settings,
  gone("RouteSettings", "ns/a", "ns/b", "other/a"),
  gone("Secret", "other/users"),
  gone("TCPRoute", "ns/a", "other/a"),
  gone("ListenerSet", "ns/a", "other/a", "other/b"),
  gone("Namespace", "other"),
  gone("Gateway", "ns/a", "ns/b"),
  gone("HTTPRoute", "ns/a", "other/a"),
  gone("Service", "ns/web", "other/web"),
  gone("ReferenceGrant", "other/to-service", "other/to-secret"),
  gone("GatewayClass", "sluice"),
  fc.constantFrom(
    gatewayClass(),
    gatewayClass("sluice", "other.example/controller"),
    serviceIn("ns", "web"),
    serviceIn("other", "web", { appProtocol: "kubernetes.io/h2c" }),
    grant({ namespace: "other", from: "HTTPRoute", to: "Service" }),
    grant({ namespace: "other", from: "TCPRoute", to: "Service" }),
    grant({ namespace: "other", from: "Gateway", to: "Secret" }),
    grant({ namespace: "other", from: "ListenerSet", to: "Secret" }),
    namespace("other", { team: "b" }),
    serviceIn("ns", "web", { name: "http" }),
    users,
    settingsGrant,
    authorities("ca", chain),
    authorities("ca", "nothing"),
    backendTLSPolicy({ name: "a" }),
    backendTLSPolicy({ name: "a", section: "http" }),
    backendTLSPolicy({ name: "b", age: 1, validation: { hostname: "b.example" } }),
    backendTLSPolicy({ name: "b", age: 1, section: "http", validation: { hostname: "" } }),
  ),
  gone("BackendTLSPolicy", "ns/a", "ns/b"),
  gone("ConfigMap", "ns/ca"),
);

function outcomeOf({ configuration, problems, statuses }: Translation) {
  const sorted = <T>(table: Iterable<readonly [string, T]>) => [...table].sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    servers: sorted(configuration.servers),
    shadows: sorted(configuration.shadows),
    yielding: [...configuration.yieldingListeners].sort(),
    ports: sorted(configuration.listenerPorts),
    streams: configuration.streams,
    upstreams: sorted(configuration.upstreams),
    certificates: sorted(configuration.certificates),
    statuses: sorted(statuses),
    problems: sorted(problems),
  };
}

const pool: Partial<GatewayOptions> = { addresses: ["192.0.2.10", "192.0.2.11"] };
const shared: Partial<GatewayOptions> = { sharesPorts: true };

test.each([
  ["with a pool", pool],
  ["that share ports", shared],
  ["of which one has the ports of Ingresses", { shared: "ns/a" }],
])("incremental turns have the same result as full ones over Gateways %s", (_, more) => {
  const options = { ...defaultOptions, gateway: { ...defaultOptions.gateway, ...more } };
  fc.assert(
    fc.property(fc.array(fc.array(step, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 8 }), (history) => {
      const translator = new Translator(options, fake);
      let snapshot = put(emptySnapshot, gatewayClass(), ingressClass as KubernetesObject, serviceIn("ns", "web"));
      for (const batch of history) {
        snapshot = withObjects(
          snapshot,
          batch.map((one: KubernetesObject | { kind: WatchedKind; key: string }) =>
            "key" in one
              ? { kind: one.kind, key: one.key, object: undefined }
              : { kind: one.kind as WatchedKind, key: keyOf(one), object: one },
          ),
        );
        const inputs = { ...emptyInputs, snapshot };
        expect(outcomeOf(translator.turn(inputs))).toEqual(outcomeOf(translate(inputs, options, fake)));
      }
    }),
    drawn(300),
  );
});
