/** A turn over any history of Gateways, ListenerSets, routes and what they refer to says what a full translation says. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { drawn } from "../../../test/support/drawn.ts";
import {
  authorities,
  backendTLSPolicy,
  gateway,
  gatewayClass,
  grant,
  listener,
  listenerSet,
  namespace,
  route,
  serviceIn,
} from "../../../test/support/gateways.ts";
import { fake, ingress, put } from "../../../test/support/sketch.ts";
import { fakeCertificate } from "../../certificates/fake.ts";
import { type KubernetesObject, keyOf } from "../../model/objects.ts";
import { emptySnapshot, type WatchedKind, withObjects } from "../../model/snapshot.ts";
import { defaultOptions, type GatewayOptions } from "../options.ts";
import { type Translation, Translator, translate } from "../translator.ts";
import { emptyInputs } from "../turn.ts";

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
  })
  .map(({ name, age, listeners: all, address, kept, allowed: namespaces }) =>
    gateway({
      name,
      age,
      listeners: all.map(listenerOf),
      spec: {
        ...(address === undefined ? {} : { addresses: [{ value: address }] }),
        ...(namespaces === undefined ? {} : { allowedListeners: { namespaces } }),
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
    backend: fc.constantFrom({ name: "web" }, { name: "web", namespace: "other" }, { name: "gone" }),
  })
  .map(({ path, backend, ...sketch }) =>
    route({ ...sketch, rules: [{ matches: [{ path: { value: path } }], backendRefs: [{ ...backend, port: 80 }] }] }),
  );
/** They have the fields of an HTTPRoute that all kinds have. */
const streamRoutes = fc
  .tuple(routes, fc.constantFrom("TCPRoute", "UDPRoute", "TLSRoute"))
  .map(([one, kind]) => ({ ...one, kind }) as KubernetesObject);
const gone = (kind: WatchedKind, ...keys: string[]) => fc.constantFrom(...keys).map((key) => ({ kind, key }));
const step = fc.oneof(
  gateways,
  sets,
  routes,
  streamRoutes,
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
    ingress({ name: "a", host: "a.example" }),
    serviceIn("ns", "web", { name: "http" }),
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

function told({ configuration, problems, statuses }: Translation) {
  const sorted = <T>(table: Iterable<readonly [string, T]>) => [...table].sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    servers: sorted(configuration.servers),
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
])("turns over Gateways %s", (_, more) => {
  const options = { ...defaultOptions, gateway: { ...defaultOptions.gateway, ...more } };
  fc.assert(
    fc.property(fc.array(fc.array(step, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 8 }), (history) => {
      const translator = new Translator(options, fake);
      let snapshot = put(emptySnapshot, gatewayClass(), serviceIn("ns", "web"));
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
        expect(told(translator.turn(inputs))).toEqual(told(translate(inputs, options, fake)));
      }
    }),
    drawn(300),
  );
});
