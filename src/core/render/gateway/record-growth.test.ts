/**
 * Records, their bytes and the shapes grow with the bytes of the objects, whatever numbers of
 * Gateways, ListenerSets, hostnames, matches, filters, RouteSettings, certificates of listeners and
 * BackendTLSPolicies a tenant multiplies.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { newRenderer } from "../../../../test/bench/support/renderers.ts";
import {
  backendTLSPolicy,
  bySettings,
  authorities as caConfigMap,
  gateway,
  gatewayClass,
  grpcRoute,
  listener,
  listenerSet,
  namespace,
  route,
  routeSettings,
  serviceIn,
} from "../../../../test/support/gateways.ts";
import { fake, put, tlsSecret } from "../../../../test/support/sketch.ts";
import { fakeCertificate } from "../../certificates/fake.ts";
import type { KubernetesObject } from "../../model/objects.ts";
import { emptySnapshot } from "../../model/snapshot.ts";
import { defaultOptions } from "../../table/options.ts";
import { translate } from "../../table/translator.ts";
import { emptyInputs } from "../../table/turn.ts";

const numbers = (count: number) => Array.from({ length: count }, (_, at) => at);
const options = { ...defaultOptions, gateway: { ...defaultOptions.gateway, addresses: ["192.0.2.10"] } };
const limit = 8 * 2 ** 20;

const own = await fakeCertificate(new Date("2026-01-01"));

const sets = fc.array(
  fc.record({
    listeners: fc.constantFrom(1, 4, 16),
    settings: fc.constantFrom(0, 10, 2_000),
    tls: fc.constantFrom("none", "terminate", "ciphers"),
  }),
  { minLength: 1, maxLength: 4 },
);
const policies = fc.record({
  services: fc.constantFrom(0, 4, 60),
  hostnames: fc.constantFrom(1, 60),
  authorities: fc.constantFrom("system", "own"),
});
const routes = fc.array(
  fc.record({
    parents: fc.constantFrom(1, 4),
    hosts: fc.constantFrom(0, 1, 4, 16),
    rules: fc.constantFrom(1, 2, 16),
    matches: fc.constantFrom(1, 8, 64),
    filter: fc.constantFrom(0, 100, 4_000),
    backends: fc.constantFrom(1, 4, 16),
    settings: fc.boolean(),
    calls: fc.boolean(),
  }),
  { minLength: 1, maxLength: 12 },
);

type Sets = typeof sets extends fc.Arbitrary<infer T> ? T : never;
type Routes = typeof routes extends fc.Arbitrary<infer T> ? T : never;
type Policies = typeof policies extends fc.Arbitrary<infer T> ? T : never;

const origins = (count: number) =>
  numbers(count)
    .map((at) => `https://a${at}.example`)
    .join(",");

/** Returns all objects of the tenant. */
function objectsOf(some: Sets, many: Routes, { services, hostnames, authorities }: Policies) {
  const listening = some.flatMap(({ listeners, settings, tls }, nth) => [
    listenerSet({
      ...{ name: `set${nth}`, namespace: "tenant", gateway: `gw${nth}` },
      listeners: numbers(listeners).map((at) => ({
        ...listener({ name: `l${at}`, port: 9_000 + at }),
        ...(tls === "none" ? {} : { protocol: "HTTPS", tls: { certificateRefs: [{ name: "tls" }] } }),
      })),
    }),
    ...(tls === "ciphers" ? numbers(listeners) : []).map((at) =>
      routeSettings({
        ...{ name: `ciphers${nth}-${at}`, namespace: "tenant", to: [["ListenerSet", `set${nth}`, `l${at}`]] },
        values: { "ssl-ciphers": at % 2 === 0 ? "HIGH" : "DEFAULT" },
      }),
    ),
    ...(settings === 0
      ? []
      : [
          routeSettings({
            ...{ name: `of-set${nth}`, namespace: "tenant", to: [["ListenerSet", `set${nth}`]] },
            values: { "enable-cors": "true", "cors-allow-origin": origins(settings) },
          }),
        ]),
  ]);
  const limits = routeSettings({ namespace: "tenant", values: { "proxy-body-size": "7m" } });
  const inTenant = (object: KubernetesObject) => ({ ...object, metadata: { ...object.metadata, namespace: "tenant" } });
  const trusting = numbers(services).flatMap((at) => {
    const system = { wellKnownCACertificates: "System", caCertificateRefs: [] };
    const hostname = `h${at % hostnames}.example`;
    const validation = { hostname, ...(authorities === "system" ? system : {}) };
    const made = backendTLSPolicy({ name: `p${at}`, service: `web${at}`, validation });
    return [serviceIn("tenant", `web${at}`), inTenant(made)];
  });
  const trusted = inTenant(caConfigMap("ca", own.chain));
  const pair = inTenant(tlsSecret(own.chain, own.key.reveal()));
  const named = (nth: number) => (services === 0 ? "web" : `web${nth % services}`);
  return [...listening, limits, ...trusting, trusted, pair, ...many.map((one, nth) => routeOf(one, nth, named))];
}

type Named = (nth: number) => string;

function routeOf(sketch: Routes[number], nth: number, named: Named) {
  const { parents, hosts, rules, matches, filter, backends, settings, calls } = sketch;
  const change = (name: string) => ({
    type: "RequestHeaderModifier",
    requestHeaderModifier: { set: [{ name, value: "v".repeat(filter) }] },
  });
  const words = {
    ...{ name: `r${nth}`, namespace: "tenant", age: nth },
    hostnames: numbers(hosts).map((at) => `h${at}.example`),
    rules: numbers(rules).map((rule) => ({
      matches: numbers(Math.min(matches, 128 / rules)).map((at) =>
        calls ? { method: { service: `s${rule}.${at}` } } : { path: { type: "PathPrefix", value: `/${rule}/${at}` } },
      ),
      filters: [...(filter === 0 ? [] : [change("x-rule")]), ...(settings ? [bySettings()] : [])],
      backendRefs: numbers(backends).map((at) => ({
        ...{ name: named(nth * backends + at), port: 80 },
        ...(filter === 0 ? {} : { filters: [change(`x-backend-${at}`)] }),
      })),
    })),
  };
  const made: KubernetesObject & { readonly spec?: object } = calls ? grpcRoute(words) : route(words);
  const parentRefs = numbers(parents).map((at) => ({
    ...{ group: "gateway.networking.k8s.io", kind: "ListenerSet", name: `set${at}` },
  }));
  const moved = { ...made, spec: { ...made.spec, parentRefs } };
  return moved;
}

const base = put(
  emptySnapshot,
  ...[gatewayClass(), namespace("ns"), namespace("tenant"), serviceIn("tenant", "web")],
  ...numbers(4).map((at) =>
    gateway({
      ...{ name: `gw${at}`, listeners: [listener({ port: 8080 })] },
      spec: {
        addresses: [{ value: `192.0.2.1${at}` }],
        allowedListeners: { namespaces: { from: "All" } },
      },
    }),
  ),
);
const pool = { ...options, gateway: { ...options.gateway, addresses: numbers(4).map((at) => `192.0.2.1${at}`) } };

function costOf(objects: readonly KubernetesObject[]) {
  const { configuration } = translate({ ...emptyInputs, snapshot: put(base, ...objects) }, pool, fake);
  const renderer = newRenderer("dynamic");
  const { text } = renderer.render(configuration);
  let bytes = 0;
  for (const [key, value] of renderer.records) bytes += key.length + value.length;
  return { records: renderer.records.size, bytes, shapes: renderer.shapeCount, text: text.conf.length };
}

test("they grow in proportion to the bytes of a tenant's objects", () => {
  const none = costOf([]);
  let most = 0;
  let texts = 0;
  fc.assert(
    fc.property(sets, routes, policies, (some, many, trust) => {
      const objects = objectsOf(some, many, trust);
      const given = JSON.stringify(objects).length;
      const { records, bytes, shapes, text } = costOf(objects);
      // HTTPRoutes and GRPCRoutes have a limit each, beside four copies of what an object has.
      expect(bytes - none.bytes).toBeLessThan(2 * limit + 100 * given);
      expect(records - none.records).toBeLessThan(2 * 8_192 + given / 20);
      expect(shapes - none.shapes).toBeLessThan(2 * 512 + given / 20);
      // The text of nginx has each listener, each shape and each distinct set of TLS settings once.
      expect(text - none.text).toBeLessThan(65_536 + given / 4);
      most = Math.max(most, bytes);
      texts = Math.max(texts, text - none.text);
    }),
    { numRuns: 20, seed: 48 },
  );
  expect(texts, "some listeners have server blocks of their own").toBeGreaterThan(20_000);
  expect(most, "some samples come near the limit").toBeGreaterThan(limit / 4);
});
