/** RouteSettings: their effect on rules, precedence between several, and what closes a rule. */
import { expect, test } from "vitest";
import {
  bySettings,
  gateway,
  gatewayClass,
  grant,
  grpcRoute,
  listener,
  listenerSet,
  namespace,
  pooled,
  route,
  routeSettings,
  serviceIn,
} from "../../../../../test/support/gateways.ts";
import { fake, put } from "../../../../../test/support/sketch.ts";
import type { KubernetesObject } from "../../../model/objects.ts";
import { named, sentence } from "../../../model/problem.ts";
import { emptySnapshot } from "../../../model/snapshot.ts";
import { emptyLastGood } from "../../../table/last-good.ts";
import { emptyQuarantine, versionOf } from "../../../table/quarantine.ts";
import { translate } from "../../../table/translator.ts";
import { emptyInputs } from "../../../table/turn.ts";

const options = pooled;
const world = put(
  emptySnapshot,
  gatewayClass(),
  namespace("ns"),
  serviceIn("ns", "web"),
  serviceIn("ns", "errors"),
  gateway({}),
);
const backendRefs = [{ name: "web", port: 80 }];
const filtered = (...names: string[]) =>
  route({ rules: [{ filters: names.map((name) => bySettings(name)), backendRefs }] });

function outcome(...objects: readonly KubernetesObject[]) {
  const inputs = { ...emptyInputs, snapshot: put(world, ...objects) };
  const { configuration, statuses, problems } = translate(inputs, options, fake);
  const status = (called: string) => {
    const found = statuses.get(called);
    if (found?.kind === "policy") return found.ancestors;
    return found?.kind === "route" ? found.parents : [];
  };
  const locations = configuration.servers.get("ns/gw/http _")?.locations ?? [];
  return {
    configuration,
    locations,
    get features() {
      return locations[0]!.features;
    },
    closed: locations.map(({ closed }) => closed && sentence(closed)),
    sentences: [...problems.values()].flat().map((one) => `${named(one.object)}: ${sentence(one)}`),
    conditions: (called: string) =>
      status(called).flatMap(({ conditions }) =>
        conditions.map(({ type, status: is, reason }) => `${type} ${is === "True" ? is : reason}`),
      ),
    ancestors: (called: string) =>
      status(called).map((one) => ("ancestorRef" in one ? one.ancestorRef : one.parentRef)),
  };
}

test("a filter gives a rule the values of annotations, as text, numbers or booleans", () => {
  const values = { "proxy-body-size": "8m", "proxy-read-timeout": 7, "limit-rps": "10", "proxy-buffering": true };
  const found = outcome(routeSettings({ values: { ...values, "proxy-buffering": "on" } }), filtered("settings"));
  expect(found.sentences).toEqual([]);
  expect(found.features).toMatchObject({ requestBody: { most: "8m" }, proxyTimeouts: { read: 7 } });
  expect(found.conditions("HTTPRoute ns/route")).toEqual(["Accepted True", "ResolvedRefs True"]);
  expect(found.conditions("RouteSettings ns/settings")).toEqual(["Accepted True"]);
  expect(found.ancestors("RouteSettings ns/settings")).toMatchObject([{ kind: "HTTPRoute", name: "route" }]);
});

const wait = (name: string, seconds: number, to?: Parameters<typeof routeSettings>[0]["to"], age = 0) =>
  routeSettings({ name, age, values: { "proxy-read-timeout": seconds }, ...(to === undefined ? {} : { to }) });

test("a filter counts before its rule, a rule before its route, and then listener and Gateway", () => {
  const layers = [
    wait("filter", 1),
    wait("second", 11),
    wait("rule", 2, [["HTTPRoute", "route", "first"]]),
    wait("route", 3, [["HTTPRoute", "route"]]),
    wait("listener", 4, [["Gateway", "gw", "http"]]),
    wait("gateway", 5, [["Gateway", "gw"]]),
    wait("elsewhere", 6, [
      ["Gateway", "gw", "other"],
      ["HTTPRoute", "another"],
      ["HTTPRoute", "route", "second"],
    ]),
  ];
  const rules = (...names: string[]) =>
    route({ rules: [{ name: "first", filters: names.map((name) => bySettings(name)), backendRefs }] });
  const waited = layers.map((_, at) => {
    const left = layers.slice(at);
    const names = left.map(({ metadata: { name } }) => name).filter((name) => ["filter", "second"].includes(name));
    return outcome(...left, rules(...names)).features.proxyTimeouts.read;
  });
  expect(waited).toEqual([1, 11, 2, 3, 4, 5, 60]);
});

test("settings of a ListenerSet and of its Gateway apply to routes at the set, and those of the Gateway's listeners do not", () => {
  const open = gateway({ spec: { allowedListeners: { namespaces: { from: "All" } } } });
  const at = route({ parent: { kind: "ListenerSet", name: "set" } });
  const objects = [open, listenerSet({ listeners: [listener({ hostname: "set.example" })] }), at];
  const read = (...more: KubernetesObject[]) =>
    [...outcome(...objects, ...more).configuration.servers.values()].find(
      ({ listener: id }) => id === "ns/gw/ns/set/http",
    )?.locations[0]?.features.proxyTimeouts.read;
  const own = wait("own", 4, [["Gateway", "gw", "http"]]);
  expect(read(own)).toBe(60);
  expect(read(own, wait("whole", 5, [["Gateway", "gw"]]))).toBe(5);
  expect(read(wait("whole", 5, [["Gateway", "gw"]]), wait("set", 6, [["ListenerSet", "set"]]))).toBe(6);
});

test("where two settings have one target, the older one's values count, and the younger one is Conflicted", () => {
  const target = [["HTTPRoute", "route"]] as const;
  const young = routeSettings({ name: "young", to: target, values: { "proxy-read-timeout": 2, "limit-rps": 5 } });
  const found = outcome(wait("old", 1, target, 9), young, route({}));
  expect(found.features).toMatchObject({ proxyTimeouts: { read: 1 }, rateLimits: { perSecond: 5 } });
  expect(found.conditions("RouteSettings ns/old")).toEqual(["Accepted True"]);
  expect(found.conditions("RouteSettings ns/young")).toEqual(["Accepted Conflicted"]);
  expect(found.sentences).toEqual([
    "RouteSettings ns/young: spec.targetRefs[0]: the older RouteSettings ns/old sets proxy-read-timeout for the same target, too; those count, and guards of both hold",
  ]);
});

test("features are merged key by key, and a name without a namespace is one in the namespace of its settings", () => {
  const theirs = routeSettings({
    to: [["Gateway", "gw"]],
    values: { "default-backend": "errors", "custom-http-errors": "404" },
  });
  const own = routeSettings({
    name: "own",
    namespace: "app",
    to: [["HTTPRoute", "route"]],
    values: { "custom-http-errors": "503" },
  });
  const at = listener({ allowedRoutes: { namespaces: { from: "All" } } });
  const from = route({ namespace: "app", rules: [{ backendRefs }] });
  const found = outcome(gateway({ listeners: [at] }), namespace("app"), serviceIn("app", "web"), theirs, own, from);
  expect(found.features.customErrors).toMatchObject({
    codes: [503],
    standIn: { namespace: "ns", service: "errors", port: "80" },
  });
  expect(found.locations[0]?.standIn).toBe("ns/errors/80 for routes");
  expect(found.configuration.upstreams.has("ns/errors/80 for routes")).toBe(true);
});

const guards = (name: string, values: Record<string, string>, kind = "Gateway", target = "gw") =>
  routeSettings({ name, to: [[kind, target]], values });

test("guards of all levels apply together", () => {
  const outer = guards("outer", { "allowlist-source-range": "10.0.0.0/8", "denylist-source-range": "10.9.0.0/16" });
  const inner = guards(
    "inner",
    { "allowlist-source-range": "10.1.0.0/16,192.0.2.1", "denylist-source-range": "10.1.1.1" },
    "HTTPRoute",
    "route",
  );
  expect(outcome(outer, inner, route({})).features.accessLists).toEqual({
    allow: ["10.1.0.0/16"],
    deny: ["10.1.1.1", "10.9.0.0/16"],
  });
  const apart = guards("inner", { "allowlist-source-range": "192.0.2.1" }, "HTTPRoute", "route");
  expect(outcome(outer, apart, route({})).features.accessLists.deny, "nobody is in both lists").toEqual([
    "0.0.0.0/0",
    "::/0",
  ]);
  const url = guards("inner", { "auth-url": "http://192.0.2.20/inner" }, "HTTPRoute", "route");
  const both = outcome(outer, url, route({}));
  expect(both.closed).toEqual([undefined]);
  expect(both.features).toMatchObject({ accessLists: { allow: ["10.0.0.0/8"] }, externalAuth: { kind: "ask" } });
});

test("satisfy any counts only where one object has all guards", () => {
  const any = { satisfy: "any", "allowlist-source-range": "10.0.0.0/8", "auth-url": "http://192.0.2.20/" };
  const inner = guards("inner", any, "HTTPRoute", "route");
  expect(outcome(inner, wait("outer", 5, [["Gateway", "gw"]]), route({})).features.satisfy.checks).toBe("any");
  const outer = guards("outer", { "denylist-source-range": "192.0.2.1" });
  expect(outcome(inner, outer, route({})).features.satisfy.checks).toBe("all");
});

test("two different auth services close the rule, and the same one twice is one", () => {
  const outer = guards("outer", { "auth-url": "http://192.0.2.20/outer" });
  const inner = guards("inner", { "auth-url": "http://192.0.2.20/inner" }, "HTTPRoute", "route");
  const found = outcome(outer, inner, route({}));
  const words =
    "spec.auth-url: cannot hold together with that of RouteSettings ns/outer; the rules that it is for answer 503";
  expect(found.closed).toEqual([words]);
  expect(found.sentences).toEqual([`RouteSettings ns/inner: ${words}`]);
  const same = guards("inner", { "auth-url": "http://192.0.2.20/outer" }, "HTTPRoute", "route");
  expect(outcome(outer, same, route({})).closed).toEqual([undefined]);
  const exempt = guards("inner", { "enable-global-auth": "false" }, "HTTPRoute", "route");
  expect(outcome(outer, exempt, route({})).features.externalAuth.kind, "nobody is exempt from it").toBe("ask");
});

test.each<[string, Record<string, unknown>, string]>([
  ["a guard that cannot be read", { "allowlist-source-range": "nowhere" }, "spec.allowlist-source-range: "],
  [
    "a guard of a newer version",
    { "auth-passkey-url": "https://a.example" },
    "spec.auth-passkey-url: is not a key that",
  ],
  ["a guard that routes cannot have", { "auth-tls-secret": "ns/ca" }, "spec.auth-tls-secret: is not served for routes"],
  ["a snippet for a server", { "server-snippet": "return 403;" }, "spec.server-snippet: is not served for routes: "],
  ["a guard that is no text", { "auth-url": ["http://a.example"] }, "spec.auth-url: is not text, a number, true or"],
  ["a Secret that is missing", { "auth-type": "basic", "auth-secret": "gone" }, "spec.auth-secret: Secret ns/gone not"],
])("%s closes the rule", (_, values, begins) => {
  const found = outcome(routeSettings({ values }), filtered("settings"));
  expect(found.closed).toEqual([expect.stringMatching(/503$/)]);
  expect(found.sentences).toEqual([expect.stringContaining(`RouteSettings ns/settings: ${begins}`)]);
  expect(found.conditions("RouteSettings ns/settings")).toEqual(["Accepted Invalid"]);
});

test.each<[string, Record<string, unknown>, string]>([
  [
    "an unreadable value",
    { "proxy-read-timeout": "5 m" },
    'spec.proxy-read-timeout: "5 m" has a unit; it is a number of seconds, like 300; the default is used',
  ],
  [
    "an unreadable value that keeps an Ingress out",
    { "custom-http-errors": "200" },
    'spec.custom-http-errors: "200" is not a comma-separated list, each a status from 400 to 599 but 499; the default is used',
  ],
  [
    "an unknown key",
    { "proxy-read-timeouts": 5 },
    "spec.proxy-read-timeouts does not exist (did you mean proxy-read-timeout?); it is ignored",
  ],
  [
    "a key for a whole host",
    { "server-alias": "a.example" },
    "spec.server-alias: is not served for routes: spec.hostnames of the route has all its names; it is ignored",
  ],
  [
    "a value that is a list",
    { "limit-rps": [1] },
    "spec.limit-rps: is not text, a number, true or false; it is ignored",
  ],
  [
    "a password without a guard",
    { "auth-secret": "passwords" },
    "spec.auth-secret: has no effect by itself: it needs auth-type; it is ignored, because what belongs to a guard stands in the object of the guard",
  ],
  [
    "an origin without CORS",
    { "cors-allow-origin": "https://a.example" },
    "spec.cors-allow-origin: has no effect by itself: enable-cors is not true; it counts where RouteSettings of another level have what it needs",
  ],
])("%s is a Problem, and the rule is served", (_, values, words) => {
  const found = outcome(routeSettings({ values }), filtered("settings"));
  expect(found.sentences).toEqual([`RouteSettings ns/settings: ${words}`]);
  expect(found.closed).toEqual([undefined]);
  expect(found.conditions("RouteSettings ns/settings")).toEqual(["Accepted True"]);
});

/** Specs that a newer version may have written before a rollback. */
const ofNewerVersions: readonly (readonly [string, unknown, string])[] = [
  ["a list", [{ name: "auth-url" }], "spec: is not a mapping of keys and values, and may hold a guard"],
  ["a text", "auth-url", "spec: is not a mapping of keys and values, and may hold a guard"],
  ["a map below a key", { values: { "auth-url": "http://192.0.2.20/" } }, "spec.values: is not text, a number,"],
  ["a list below a key", { guards: [{ name: "auth-url" }] }, "spec.guards: is not text, a number, true or false, and"],
  [
    "a guard with fields",
    { auth: { url: "http://192.0.2.20/" } },
    "spec.auth: is not text, a number, true or false, and",
  ],
];

test.each(ofNewerVersions)(
  "after a rollback, a guard in the unknown shape of %s closes its rule alone",
  (_, spec, begins) => {
    const settings = { ...routeSettings({}), spec } as KubernetesObject;
    const open = { matches: [{ path: { value: "/open" } }], backendRefs };
    const rules = [{ filters: [bySettings("settings")], backendRefs }, open];
    const found = outcome(settings, route({ rules }));
    expect(found.closed.filter((one) => one !== undefined)).toEqual([
      expect.stringMatching(/may hold a guard; .* 503$/),
    ]);
    expect(found.closed).toContain(undefined);
    expect(found.sentences).toEqual([expect.stringContaining(`RouteSettings ns/settings: ${begins}`)]);
    expect(found.conditions("RouteSettings ns/settings")).toEqual(["Accepted Invalid"]);
  },
);

test("after a rollback, structures without a guard are ignored, the values beside them count, and each is named", () => {
  const spec = {
    "proxy-read-timeout": 7,
    "limits-v2": { perSecond: 5 },
    "limit-rpd": 9,
    targetRefs: { kind: "Gateway" },
  };
  const found = outcome({ ...routeSettings({}), spec } as KubernetesObject, filtered("settings"));
  expect(found.closed).toEqual([undefined]);
  expect(found.features).toMatchObject({ proxyTimeouts: { read: 7 } });
  expect(found.sentences).toEqual([
    "RouteSettings ns/settings: spec.targetRefs: is not a list of targets that this version knows; they have no effect there",
    "RouteSettings ns/settings: spec.limits-v2: is not text, a number, true or false; it is ignored",
    "RouteSettings ns/settings: spec.limit-rpd does not exist (did you mean limit-rps?); it is ignored",
  ]);
  const idle = outcome({ ...routeSettings({}), spec: { targetRefs: ["route"] } } as KubernetesObject);
  expect(idle.sentences, "they are not missing").toEqual(found.sentences.slice(0, 1));
  const empty = outcome({ ...routeSettings({}), spec: null } as unknown as KubernetesObject, filtered("settings"));
  expect([empty.closed, empty.sentences]).toEqual([[undefined], []]);
});

test("where the settings that a filter names are missing, its requests get an error", () => {
  const found = outcome(filtered("gone"));
  expect(found.locations[0]?.backends).toMatchObject([{ unusable: { kind: "reference-missing" } }]);
  expect(found.sentences).toEqual([
    "HTTPRoute ns/route: spec.rules[0].filters[0].extensionRef: RouteSettings ns/gone not found; the requests of the rule get 500",
  ]);
  expect(found.conditions("HTTPRoute ns/route")).toEqual(["Accepted True", "ResolvedRefs InvalidFilter"]);
  const ofBackend = [{ name: "web", port: 80, filters: [bySettings()] }];
  const single = outcome(routeSettings({}), route({ rules: [{ backendRefs: ofBackend }] }));
  expect(single.sentences.join()).toContain("filters[0].type: ExtensionRef is served for rules alone");
  const calls = grpcRoute({ rules: [{ filters: [bySettings("gone")], backendRefs }] });
  expect(outcome(calls).sentences.join()).toContain(
    "RouteSettings ns/gone not found; the requests of the rule get 503",
  );
});

test("a missing target causes a condition, and settings that nothing uses cause a Problem", () => {
  const to = [
    ["Gateway", "gone"],
    ["HTTPRoute", "route", "none"],
    ["Service", "web"],
  ] as const;
  const found = outcome(routeSettings({ to }), route({}), routeSettings({ name: "idle" }));
  expect(found.conditions("RouteSettings ns/settings")).toEqual([
    "Accepted TargetNotFound",
    "Accepted TargetNotFound",
    "Accepted Invalid",
  ]);
  expect(found.sentences).toEqual([
    "RouteSettings ns/settings: spec.targetRefs[0]: Gateway ns/gone not found; the settings have no effect there",
    "RouteSettings ns/settings: spec.targetRefs[1].sectionName: HTTPRoute ns/route has no rule named none; the settings have no effect there",
    "RouteSettings ns/settings: spec.targetRefs[2].kind: gateway.networking.k8s.io Service is not one of Gateway, ListenerSet, HTTPRoute, GRPCRoute; the settings have no effect there",
    "RouteSettings ns/idle: spec.targetRefs: is missing, and no filter of a route names these settings; they have no effect",
  ]);
});

test("a Secret of another namespace needs a ReferenceGrant", () => {
  const users = {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "users", namespace: "vault" },
    data: { auth: Buffer.from("ann:x").toString("base64") },
  };
  const objects = [users, routeSettings({ values: { "auth-type": "basic", "auth-secret": "vault/users" } })];
  const refused = outcome(...objects, filtered("settings"));
  expect(refused.closed).toEqual([
    "spec.auth-secret: no ReferenceGrant of namespace vault permits RouteSettings of namespace ns to use Secret vault/users; its paths answer 503",
  ]);
  const { spec, ...rest } = grant({ namespace: "vault", from: "RouteSettings", to: "Secret" });
  const from = [{ group: "sluice.dev", kind: "RouteSettings", namespace: "ns" }];
  const permitted = outcome(...objects, { ...rest, spec: { ...spec, from } } as KubernetesObject, filtered("settings"));
  expect(permitted.closed).toEqual([undefined]);
  expect(permitted.features.basicAuth.kind).toBe("basic");
});

test("where nginx refuses a version, the last good one is used, unless it guards less", () => {
  const good = routeSettings({ values: { "proxy-read-timeout": 7 } });
  const outcomeOf = (values: Readonly<Record<string, unknown>>, kept: KubernetesObject | undefined) => {
    const present = routeSettings({ values });
    const refusals = new Map([["RouteSettings ns/settings", { version: versionOf(present), why: "no" }]]);
    const objects =
      kept === undefined ? emptyLastGood.objects : emptyLastGood.objects.with([["RouteSettings ns/settings", kept]]);
    const inputs = {
      snapshot: put(world, present, filtered("settings")),
      lastGood: { ...emptyLastGood, objects },
      quarantine: { ...emptyQuarantine, objects: refusals },
    };
    const { configuration, lastGood } = translate(inputs, options, fake);
    const [location] = configuration.servers.get("ns/gw/http _")!.locations;
    return [location!.features.proxyTimeouts.read, location!.closed === undefined, lastGood.objects.size];
  };
  expect(outcomeOf({ "proxy-read-timeout": 9 }, good)).toEqual([7, true, 1]);
  expect(outcomeOf({ "proxy-read-timeout": 9, "denylist-source-range": "10.0.0.0/8" }, good)).toEqual([7, false, 1]);
  expect(outcomeOf({ "proxy-read-timeout": 9 }, undefined)).toEqual([60, false, 0]);
});

test("a guard whose module nginx lacks is a Problem", () => {
  const inputs = {
    ...emptyInputs,
    snapshot: put(world, routeSettings({ values: { "enable-modsecurity": true } }), filtered("settings")),
  };
  const { problems } = translate(inputs, { ...options, lacks: new Set(["modsecurity"] as const) }, fake);
  expect([...problems.values()].flat().map(sentence)).toEqual([
    expect.stringMatching(/^spec.enable-modsecurity has no effect: nginx here has no /),
  ]);
});

test("endpoints with a balancing of their own are an Upstream of their own", () => {
  const sticky = routeSettings({ values: { affinity: "cookie" } });
  const plain = route({ name: "plain", hostnames: ["b.example"] });
  const { configuration, locations } = outcome(sticky, filtered("settings"), plain);
  const [own] = locations[0]!.backends;
  expect(own?.upstream).toMatch(/^ns\/web\/80 for routes \w+$/);
  expect(configuration.upstreams.get(own!.upstream)?.balance).toMatchObject({ algorithm: "cookie" });
  expect(configuration.upstreams.get("ns/web/80 for routes")?.balance).toEqual({ algorithm: "round_robin" });
});
