import fc from "fast-check";
import { expect, test } from "vitest";
import { drawn } from "../../../test/support/drawn.ts";
import { base, configMap, fake, ingress, ingressClass, put, service, slice } from "../../../test/support/sketch.ts";
import { keyOf, type Service, type ServicePort } from "../model/objects.ts";
import { sentence } from "../model/problem.ts";
import { type Snapshot, type WatchedKind, withObjects } from "../model/snapshot.ts";
import type { Table } from "../model/table.ts";
import { emptyLastGood } from "./last-good.ts";
import { defaultOptions } from "./options.ts";
import { type Translation, Translator, translate } from "./translator.ts";
import { emptyInputs } from "./turn.ts";

const options = { ...defaultOptions, configMap: "ingress-nginx/settings", defaultBackendService: "ns/fallback" };

const settings = (data: Readonly<Record<string, string>>) => configMap(options.configMap, data);

/** Returns a whole Translation as plain, sorted data. */
function outcomeOf({ configuration, problems, lastGood, accepted }: Translation) {
  const sorted = <T>(table: Table<T>) => Object.fromEntries([...table].sort(([a], [b]) => (a < b ? -1 : 1)));
  return {
    servers: sorted(configuration.servers),
    upstreams: sorted(configuration.upstreams),
    certificates: sorted(configuration.certificates),
    settings: configuration.settings,
    problems: [...problems.values()]
      .flat()
      .map((p) => sentence(p).replace(/; (the last good value|the default) is used$/, ""))
      .sort(),
    lastGood: { ...lastGood, objects: sorted(lastGood.objects), secrets: sorted(lastGood.secrets) },
    accepted: [...accepted].sort(),
  };
}
const of = (snapshot: Snapshot) => translate({ ...emptyInputs, snapshot }, options, fake);
const problemsOf = (snapshot: Snapshot) => outcomeOf(of(snapshot)).problems;
const routesOf = (snapshot: Snapshot, host: string) => {
  const server = of(snapshot).configuration.servers.get(host);
  return server?.routes.map((route) => {
    const to = route.match === "slash" ? "301" : server.locations[route.location]!.backends[0]?.upstream;
    return `${route.match} ${route.path} ${to}`;
  });
};

test("the oldest Ingress keeps a path, and the younger one gets a Problem", () => {
  const world = put(
    base,
    service("web"),
    ingress({ name: "young", host: "a.example", paths: [["/", "other"]] }),
    ingress({ name: "old", host: "a.example", age: 5 }),
  );
  expect(routesOf(world, "a.example")).toEqual(["prefix / ns/web/80"]);
  expect(problemsOf(world)).toEqual([
    "path / of host a.example belongs to the older Ingress ns/old; this one is ignored",
  ]);
});

test("a path that one Ingress has twice is served once, and its Problem names no older Ingress", () => {
  const twice: [string, string][] = [
    ["/", "web"],
    ["/", "other"],
  ];
  const world = put(base, service("web"), ingress({ name: "web", host: "a.example", paths: twice }));
  expect(routesOf(world, "a.example")).toEqual(["prefix / ns/web/80"]);
  expect(problemsOf(world)).toEqual([
    "path / of host a.example stands here twice; the first one counts, and this one is ignored",
  ]);
});

test("a host without a path / sends it to the default backend, with the oldest Ingress's annotations", () => {
  const world = put(
    base,
    service("web"),
    ingress({
      name: "a",
      host: "a.example",
      paths: [["/x", "web", "Exact"]],
      annotations: { "force-ssl-redirect": "true" },
    }),
  );
  const server = of(world).configuration.servers.get("a.example")!;
  expect(routesOf(world, "a.example")).toEqual(["exact /x ns/web/80", "prefix / default"]);
  expect(server.locations[1]?.features.sslRedirect.always).toBe(true);
});

test("a default backend without rules is the catch-all, also when other Ingresses claim its path /", () => {
  const backing = ingress({
    name: "backing",
    spec: { rules: [], defaultBackend: { service: { name: "last", port: { number: 80 } } } },
  });
  const world = put(base, service("web"), service("last"), backing, ingress({ name: "older", age: 9 }));
  expect(routesOf(world, "_")).toEqual(["prefix / ns/last/80"]);
});

function withPorts(...ports: readonly ServicePort[]): Service {
  return { apiVersion: "v1", kind: "Service", metadata: { name: "web", namespace: "ns" }, spec: { ports } };
}

test("a Service that is missing, or lacks the port, is a Problem and an empty Upstream", () => {
  const world = put(
    base,
    withPorts({ port: 8080, name: "http" }, { port: 9000, protocol: "UDP" }),
    ingress({
      name: "a",
      host: "a.example",
      paths: [
        ["/", "web"],
        ["/x", "gone"],
      ],
    }),
  );
  expect(problemsOf(world)).toEqual([
    "spec.rules[0].http.paths[0].backend: Service ns/web has no port 80; it has 8080 (http), 9000 (UDP); the path answers 503",
    "spec.rules[0].http.paths[1].backend: Service ns/gone not found; the path answers 503",
  ]);
  expect(of(world).configuration.upstreams.get("ns/gone/80")?.endpoints).toEqual([]);
});

test("without endpoints the default backend is the built-in 404 server", () => {
  const fallback = (snapshot: Snapshot) => of(snapshot).configuration.upstreams.get("default")?.endpoints;
  expect(fallback(base)).toEqual([{ address: "127.0.0.1", port: 8181 }]);
  expect(fallback(put(base, service("fallback"), slice("fallback", "192.0.2.5")))).toEqual([
    { address: "192.0.2.5", port: 8080 },
  ]);
});

test("TLS is configured for a host with a TLS section, and for hosts under a wildcard that has one", () => {
  const tls = { tls: [{ secretName: "none" }] };
  const world = put(
    base,
    ingress({ name: "wild", host: "*.example", spec: { ...ingress({ name: "x", host: "*.example" }).spec, ...tls } }),
    ingress({ name: "a", host: "a.example" }),
    ingress({ name: "b", host: "b.other" }),
  );
  const { servers } = of(world).configuration;
  expect(["*.example", "a.example", "b.other"].map((host) => servers.get(host)?.tlsConfigured)).toEqual([
    true,
    true,
    false,
  ]);
});

const names = ["a", "b", "c"];
const hosts = ["a.example", "b.example", "www.a.example", "*.example", undefined];
const sketch = fc.record({
  name: fc.constantFrom(...names),
  host: fc.constantFrom(...hosts),
  paths: fc.array(
    fc.tuple(
      fc.constantFrom("/", "/x", "/x/", "/y.*"),
      fc.constantFrom("web", "api"),
      fc.constantFrom("Prefix", "Exact"),
    ),
    { maxLength: 3 },
  ),
  age: fc.nat(3),
  annotations: fc.constantFrom<Record<string, string>>(
    {},
    { "use-regex": "true" },
    { "rewrite-target": "/z" },
    { "proxy-read-timeout": "x" },
    { "ssl-redirect": "false" },
    { canary: "true", "canary-weight": "10" },
    { canary: "true", "load-balance": "ewma", "affinity-canary-behavior": "legacy" },
    { affinity: "cookie", "session-cookie-name": "route" },
    { affinity: "cookie", "affinity-mode": "persistent" },
    { "upstream-hash-by": "$host", "service-upstream": "true" },
    { "load-balance": "fastest" },
    { "server-alias": "b.example, c.example, *.example" },
    { "server-alias": ".c.example, ~^x", "from-to-www-redirect": "true" },
    { "from-to-www-redirect": "true", "app-root": "/x" },
    { "custom-http-errors": "404", "default-backend": "api" },
  ),
  backing: fc.boolean(),
  tls: fc.boolean(),
});
const step = fc.oneof(
  sketch.map(({ tls, backing, host, ...rest }) => {
    const one = ingress({ ...rest, ...(host === undefined ? {} : { host }) });
    const more = {
      ...(tls ? { tls: [{ hosts: ["a.example"], secretName: "tls" }] } : {}),
      ...(backing ? { defaultBackend: { service: { name: "web", port: { number: 80 } } } } : {}),
    };
    return { ...one, spec: { ...one.spec, ...more } };
  }),
  fc.constantFrom(...names).map((name) => ({ kind: "Ingress", key: `ns/${name}` })),
  fc.constantFrom("web", "api", "fallback").map((name) => service(name)),
  fc.constantFrom("web", "api").map((name) => ({ kind: "Service", key: `ns/${name}` })),
  fc.constantFrom("web", "api").map((name) => ({
    ...service(name),
    spec: { type: "ExternalName", externalName: "localhost", ports: [{ port: 80 }] },
  })),
  fc
    .tuple(fc.constantFrom("web", "api", "fallback"), fc.subarray(["192.0.2.1", "192.0.2.2"]))
    .map(([name, found]) => slice(name, ...found)),
  fc.constantFrom("5", "7", "x").map((text) => settings({ "proxy-read-timeout": text })),
  fc.constantFrom(ingressClass, { kind: "IngressClass", key: "nginx" }),
);

test("a turn after any history of changes has the result of a full translation", () => {
  fc.assert(
    fc.property(fc.array(fc.array(step, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 8 }), (history) => {
      const translator = new Translator(options, fake);
      let snapshot = base;
      let lastGood = emptyLastGood;
      for (const batch of history) {
        snapshot = withObjects(
          snapshot,
          batch.map((one) =>
            "key" in one
              ? { kind: one.kind as WatchedKind, key: one.key, object: undefined }
              : { kind: one.kind as WatchedKind, key: keyOf(one), object: one },
          ),
        );
        const turn = translator.turn({ ...emptyInputs, snapshot, lastGood });
        lastGood = turn.lastGood;
        expect(outcomeOf(turn)).toEqual(outcomeOf(translate({ ...emptyInputs, snapshot, lastGood }, options, fake)));
      }
    }),
    drawn(300),
  );
});

test("a change of a ConfigMap that the settings name counts as a change of the settings", () => {
  const extra = (version: string) => configMap("ingress-nginx/extra", { "X-Version": version });
  const translator = new Translator(options, fake);
  const turn = (snapshot: Snapshot) => translator.turn({ ...emptyInputs, snapshot }).configuration.settings;
  const named = put(base, settings({ "add-headers": "ingress-nginx/extra" }));
  expect(turn(named).followed.addHeaders).toEqual([]);
  const one = put(named, extra("1"));
  expect(turn(one).followed.addHeaders).toEqual([{ name: "X-Version", value: "1" }]);
  const before = turn(one);
  expect(turn(put(one, configMap("ingress-nginx/other", {})))).toBe(before);
  expect(turn(put(one, extra("2"))).followed.addHeaders).toEqual([{ name: "X-Version", value: "2" }]);
});

test("an object on which the source failed has a Problem until the source can read it", () => {
  const translator = new Translator(options, fake);
  const object = { apiVersion: "v1", kind: "Service", metadata: { namespace: "ns", name: "web" } };
  const failures = base.failures.with([["Service ns/web", { object, why: "TypeError: x" }]]);
  const problems = (snapshot: Snapshot) => outcomeOf(translator.turn({ ...emptyInputs, snapshot })).problems;
  expect(problems({ ...base, failures })).toEqual([expect.stringContaining("Sluice failed on it (TypeError: x)")]);
  expect(problems(base)).toEqual([]);
});
