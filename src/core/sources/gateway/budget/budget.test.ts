/**
 * The hosts, listeners, matches and filters of routes multiply. One namespace causes a limited
 * amount of records, the oldest routes come first, and other namespaces notice nothing.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  gateway,
  gatewayClass,
  grpcRoute,
  listener,
  listenerSet,
  namespace,
  route,
  routeSettings,
  serviceIn,
} from "../../../../../test/support/gateways.ts";
import { fake, put } from "../../../../../test/support/sketch.ts";
import { type ConfigMap, type KubernetesObject, keyOf } from "../../../model/objects.ts";
import { sentence } from "../../../model/problem.ts";
import { emptySnapshot, type WatchedKind, withObjects } from "../../../model/snapshot.ts";
import { defaultOptions } from "../../../table/options.ts";
import { Translator, translate } from "../../../table/translator.ts";
import { emptyInputs } from "../../../table/turn.ts";

const numbers = (count: number) => Array.from({ length: count }, (_, at) => at);
const addressed = { ...defaultOptions, gateway: { ...defaultOptions.gateway, addresses: ["192.0.2.10"] } };
const options = { ...addressed, configMap: "ns/settings" };
const open = gateway({
  listeners: [listener({ port: 8080 })],
  spec: { allowedListeners: { namespaces: { from: "All" } } },
});
const base = put(
  emptySnapshot,
  ...[gatewayClass(), open, namespace("ns"), namespace("tenant"), namespace("other")],
  ...["ns", "tenant", "other"].map((home) => serviceIn(home, "web")),
);

/** A ListenerSet with listeners on ports of their own. */
const setOf = (home: string, listeners = 16) =>
  listenerSet({
    namespace: home,
    listeners: numbers(listeners).map((at) =>
      listener({ name: `l${at}`, port: 9000 + at, hostname: `*.${home}.example` }),
    ),
  });
const parent = { kind: "ListenerSet", name: "set" };

interface Sizes {
  readonly name?: string;
  readonly home?: string;
  readonly age?: number;
  readonly hosts?: number;
  readonly rules?: number;
  readonly matches?: number;
  /** Characters in the filter of each rule. */
  readonly filter?: number;
}

/** A route with as many hostnames, rules, matches and characters of filters. */
function wide({ name = "wide", home = "tenant", age = 0, hosts = 16, rules = 2, matches = 64, filter = 0 }: Sizes) {
  const set = [{ name: "x-long", value: "v".repeat(filter) }];
  return route({
    ...{ name, age, namespace: home, parent: { ...parent, namespace: home } },
    hostnames: numbers(hosts).map((at) => `h${at}.${home}.example`),
    rules: numbers(rules).map((rule) => ({
      matches: numbers(matches).map((at) => ({ path: { type: "PathPrefix", value: `/${rule}/${at}` } })),
      ...(filter === 0 ? {} : { filters: [{ type: "RequestHeaderModifier", requestHeaderModifier: { set } }] }),
      backendRefs: [{ name: "web", port: 80 }],
    })),
  });
}

const settings = (data: Record<string, string>): ConfigMap => ({
  ...{ apiVersion: "v1", kind: "ConfigMap" },
  metadata: { name: "settings", namespace: "ns" },
  data,
});

function outcome(...objects: KubernetesObject[]) {
  const { configuration, problems, statuses } = translate(
    { ...emptyInputs, snapshot: put(base, ...objects) },
    options,
    fake,
  );
  const ofRoute = (key: string) => {
    const status = statuses.get(key);
    if (status?.kind !== "route") throw new Error(`no status of ${key}`);
    return status.parents.map(({ conditions }) =>
      conditions.map(({ type, status: is, reason }) => `${type} ${is} ${reason}`),
    );
  };
  return {
    hosts: (home: string) => [...configuration.servers.keys()].filter((key) => key.endsWith(`.${home}.example`)).length,
    conditions: (key = "HTTPRoute tenant/wide") => ofRoute(key)[0],
    about: (kind: string, name = "wide") =>
      [...problems.values()]
        .flat()
        .flatMap((one) => (one.object.kind === kind && one.object.name === name ? [sentence(one)] : [])),
  };
}

test("a route whose hosts times listeners times matches are too many is refused, and a neighbour is served", () => {
  const found = outcome(setOf("tenant"), wide({}), setOf("other"), wide({ home: "other", hosts: 1, matches: 4 }));
  expect(found.hosts("tenant")).toBe(0);
  expect(found.conditions()).toEqual(["Accepted False UnsupportedValue", "ResolvedRefs True ResolvedRefs"]);
  expect(found.about("HTTPRoute")).toEqual([
    "spec: 128 matches on 256 hosts, which are the route's hostnames on each of its listeners, need 35m of records; with the older HTTPRoutes of namespace tenant that is more than route-records-per-namespace permits (8m); the route is not attached, and other routes of the namespace answer 503 on its hosts",
  ]);
  expect(found.hosts("other")).toBe(16);
});

test.each<[string, Sizes]>([
  ["few matches with long filters", { rules: 16, matches: 8, filter: 4_000 }],
  ["few hosts with very long filters", { hosts: 1, rules: 2, filter: 60_000 }],
])("a route with %s is refused, too", (_, sizes) => {
  expect(outcome(setOf("tenant"), wide(sizes)).conditions()?.[0]).toBe("Accepted False UnsupportedValue");
});

test("a rule's filters count for each of its matches even on one host", () => {
  const one = wide({ hosts: 1, filter: 400_000 });
  expect(outcome(setOf("tenant", 1), one).about("HTTPRoute").join()).toContain("128 matches on 1 hosts");
});

test("ordinary routes are never refused, however many a namespace has", () => {
  const many = numbers(1_000).map((at) => wide({ name: `r${at}`, hosts: 2, matches: 8 }));
  const translated = outcome(setOf("tenant", 2), ...many);
  expect(translated.conditions("HTTPRoute tenant/r999")?.[0]).toBe("Accepted True Accepted");
});

test("of several routes the oldest are served, and each kind and namespace has its own limit", () => {
  const some = { hosts: 8, rules: 1, matches: 32 };
  const objects = [
    setOf("tenant"),
    ...numbers(4).map((at) => wide({ name: `r${at}`, age: at, ...some })),
    ...[setOf("other"), wide({ home: "other", ...some })],
    grpcRoute({
      ...{ namespace: "tenant", parent: { ...parent, namespace: "tenant" } },
      hostnames: numbers(16).map((at) => `calls${at}.tenant.example`),
      rules: [
        {
          matches: numbers(64).map((at) => ({ method: { service: `s${at}` } })),
          backendRefs: [{ name: "web", port: 80 }],
        },
      ],
    }),
  ];
  const found = outcome(...objects);
  const accepted = numbers(4).map((at) =>
    found.conditions(`HTTPRoute tenant/r${at}`)?.[0]?.startsWith("Accepted True"),
  );
  expect(accepted).toEqual([false, false, false, true]);
  expect(found.conditions("HTTPRoute other/wide")?.[0]).toBe("Accepted True Accepted");
  expect(found.conditions("GRPCRoute tenant/calls")?.[0], "16 listeners, 16 hosts, 64 methods").toBe(
    "Accepted False UnsupportedValue",
  );
});

test("the operator may permit more", () => {
  const more = settings({ "route-records-per-namespace": "64m" });
  expect(outcome(more, setOf("tenant"), wide({})).hosts("tenant")).toBe(256);
});

test("RouteSettings of a listener count for each match, and snippets do not", () => {
  const origins = numbers(3_000)
    .map((at) => `https://app-${at}.example`)
    .join(",");
  const cors = { "enable-cors": "true", "cors-allow-origin": origins };
  const small = wide({ hosts: 4, rules: 1, matches: 8 });
  const own = (values: Record<string, string>) =>
    routeSettings({ namespace: "tenant", to: [["ListenerSet", "set"]], values });
  expect(outcome(setOf("tenant"), small, own(cors)).conditions()?.[0]).toBe("Accepted False UnsupportedValue");
  expect(outcome(setOf("tenant"), small, own({ "enable-cors": "true" })).conditions()?.[0]).toBe(
    "Accepted True Accepted",
  );
});

describe("after any history of routes and limits", () => {
  const routes = fc
    .record({
      name: fc.constantFrom("a", "b", "c"),
      home: fc.constantFrom("tenant", "other"),
      age: fc.integer({ min: 0, max: 2 }),
      hosts: fc.constantFrom(1, 8, 16),
      matches: fc.constantFrom(1, 8, 32),
    })
    .map(wide);
  const objects = fc.oneof(
    { weight: 8, arbitrary: routes },
    {
      weight: 1,
      arbitrary: fc.constantFrom("64k", "1m", "64m").map((most) => settings({ "route-records-per-namespace": most })),
    },
    {
      weight: 2,
      arbitrary: fc
        .tuple(fc.constantFrom("tenant", "other"), fc.constantFrom(1, 4, 16))
        .map(([home, count]) => setOf(home, count)),
    },
  );
  const steps = fc.array(fc.tuple(objects, fc.boolean()), { minLength: 1, maxLength: 8 });

  test("the same routes are refused as in a translation without a history", () => {
    fc.assert(
      fc.property(steps, (history) => {
        const translator = new Translator(options, fake);
        let snapshot = put(base, setOf("tenant", 4), setOf("other", 4));
        translator.turn({ ...emptyInputs, snapshot });
        for (const [object, isThere] of history) {
          const kind = object.kind as WatchedKind;
          const change = { kind, key: keyOf(object), object: isThere || kind === "ListenerSet" ? object : undefined };
          snapshot = withObjects(snapshot, [change]);
          const inputs = { ...emptyInputs, snapshot };
          const [kept, fresh] = [translator.turn(inputs), translate(inputs, options, fake)];
          expect([...kept.configuration.servers.keys()].sort()).toEqual([...fresh.configuration.servers.keys()].sort());
          expect(new Map(kept.statuses)).toEqual(new Map(fresh.statuses));
        }
      }),
      { numRuns: 40, seed: 48 },
    );
  });
});
