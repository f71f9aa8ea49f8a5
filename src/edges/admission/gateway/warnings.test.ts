/**
 * The webhook's warnings for Gateways, ListenerSets and routes: the sentences of their conditions,
 * and matches that get no request.
 */
import { expect, test } from "vitest";
import {
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
import { configMap, put } from "../../../../test/support/sketch.ts";
import type { KubernetesObject } from "../../../core/model/objects.ts";
import { sentence } from "../../../core/model/problem.ts";
import { emptySnapshot } from "../../../core/model/snapshot.ts";
import { defaultSettings } from "../../../core/settings/registry.ts";
import { defaultOptions } from "../../../core/table/options.ts";
import { answerTo, readQuestion } from "../admission-review.ts";
import { answerOf, gatewayVerdict, settingsVerdict } from "../webhook.ts";
import { warningsFor } from "./warnings.ts";

const options = { ...defaultOptions, gateway: { ...defaultOptions.gateway, addresses: ["192.0.2.10"] } };
const bare = { apiVersion: "v1", kind: "Secret", metadata: { namespace: "ns", name: "unread" } } as const;
const world = put(
  emptySnapshot,
  gatewayClass(),
  gateway({ listeners: [listener({ hostname: "*.a.example" })] }),
  gateway({ name: "theirs", spec: { gatewayClassName: "other" } }),
  namespace("ns"),
  serviceIn("ns", "web"),
  serviceIn("other", "web"),
  route({ name: "old", age: 9, hostnames: ["taken.a.example"] }),
);
const sentences = (object: Parameters<typeof warningsFor>[0], snapshot = world) =>
  warningsFor(object, snapshot, options).map(sentence);
const hostnames = ["x.a.example"];

test("a route without a mistake, or of another controller, passes without a warning", () => {
  expect(sentences(route({ hostnames }))).toEqual([]);
  expect(
    sentences(route({ parent: { name: "theirs" }, rules: [{ backendRefs: [{ name: "none", port: 80 }] }] })),
  ).toEqual([]);
});

test("a route for default Gateways is judged as one that names them", () => {
  const { spec, ...rest } = route({ hostnames: ["taken.a.example"] });
  const { parentRefs: _, ...more } = spec!;
  const using = { ...rest, spec: { ...more, useDefaultGateways: "All" } };
  expect(sentences(using)).toEqual([]);
  const { metadata, spec: own, ...old } = route({ name: "old", age: 9, hostnames: ["taken.a.example"] });
  const withDefault = put(
    world,
    gateway({ listeners: [listener({ hostname: "*.a.example" })], spec: { defaultScope: "All" } }),
    { ...old, metadata, spec: { ...own, useDefaultGateways: "All" } } as KubernetesObject,
  );
  expect(sentences(using, withDefault).join()).toMatch(/HTTPRoute ns\/old/);
  const strange = { ...using, spec: { ...using.spec, hostnames: ["b.example"] } };
  expect(sentences(strange, withDefault).join()).toMatch(
    /^spec.hostnames: none of b.example is a host of Gateway ns\/gw/,
  );
});

test.each<[string, Parameters<typeof route>[0], RegExp]>([
  ["a Gateway that is missing", { parent: { name: "none" } }, /^spec.parentRefs: Gateway ns\/none not found; /],
  ["a host that no listener has", { hostnames: ["b.example"] }, /no listener .* has a hostname|hostname/],
  [
    "a Service that is missing",
    { hostnames, rules: [{ backendRefs: [{ name: "none", port: 80 }] }] },
    /^spec.rules\[0\].backendRefs\[0\]: Service ns\/none not found; /,
  ],
  [
    "a Service of another namespace",
    { hostnames, rules: [{ backendRefs: [{ name: "web", namespace: "other", port: 80 }] }] },
    /no ReferenceGrant of namespace other permits/,
  ],
  ["an older route's match", { hostnames: ["taken.a.example"] }, /HTTPRoute ns\/old/],
])("%s is a warning", (_, sketch, words) => {
  expect(sentences(route(sketch))).toEqual([expect.stringMatching(words)]);
});

test("a route at a ListenerSet is judged by the listeners of the set", () => {
  const open = gateway({ name: "open", spec: { allowedListeners: { namespaces: { from: "All" } } } });
  const set = listenerSet({
    gateway: "open",
    namespace: "other",
    listeners: [listener({ hostname: "*.set.example" })],
  });
  const at = (more: object) =>
    route({ parent: { kind: "ListenerSet", name: "set", namespace: "other" }, hostnames: ["x.set.example"], ...more });
  const all = put(world, open, set);
  expect(sentences(at({}), all)).toEqual([
    expect.stringContaining("listener http of ListenerSet other/set does not take"),
  ]);
  const taking = { ...listener({ hostname: "*.set.example" }), allowedRoutes: { namespaces: { from: "All" } } };
  const now = put(all, listenerSet({ gateway: "open", namespace: "other", listeners: [taking] }));
  expect(sentences(at({}), now)).toEqual([]);
  expect(sentences(at({ hostnames: ["b.example"] }), now)).toEqual([expect.stringContaining("*.set.example")]);
  expect(sentences(at({}))).toEqual([expect.stringMatching(/^spec.parentRefs: ListenerSet other\/set not found; /)]);
});

test.each(["infra/hosts", "labels"])("the host policy %s is read, and refuses the route", (hostPolicy) => {
  const labels = { "hosts.sluice.dev/pay.a.example": "exact" };
  const owner = { ...namespace("pay"), metadata: { name: "pay", labels } };
  const snapshot = put(world, owner, configMap("infra/hosts", { pay: "pay.a.example" }));
  const asked = { ...options, hostPolicy };
  const verdict = gatewayVerdict(warningsFor(route({ hostnames: ["pay.a.example"] }), snapshot, asked));
  expect(answerOf(verdict)).toEqual({
    allowed: false,
    message:
      "spec.hostnames[0]: the host policy gives pay.a.example to namespace pay alone; nothing is served for it here",
    warnings: [],
  });
  const partly = gatewayVerdict(warningsFor(route({ hostnames }), snapshot, asked));
  expect(answerOf(partly).allowed).toBe(true);
});

test.each(["infra/hosts", "labels"])("the host policy %s refuses a ListenerSet of another namespace", (hostPolicy) => {
  const labels = { "hosts.sluice.dev/pay.b.example": "exact" };
  const snapshot = put(
    world,
    gateway({ spec: { allowedListeners: { namespaces: { from: "All" } } } as never }),
    { ...namespace("pay"), metadata: { name: "pay", labels } },
    configMap("infra/hosts", { pay: "pay.b.example" }),
  );
  const verdictOn = (home: string) => {
    const set = listenerSet({ namespace: home, listeners: [listener({ name: "own", hostname: "*.b.example" })] });
    return answerOf(gatewayVerdict(warningsFor(set, snapshot, { ...options, hostPolicy })));
  };
  const message =
    "spec.listeners[0].hostname: the host policy gives pay.b.example to namespace pay alone; nothing is served for it here";
  expect(verdictOn("other")).toEqual({ allowed: false, message, warnings: [] });
  expect(verdictOn("pay").allowed).toBe(true);
});

test("a reference to another namespace is a warning only without a grant", () => {
  const rules = [{ backendRefs: [{ name: "web", namespace: "other", port: 80 }] }];
  const granted = put(world, grant({ namespace: "other", from: "HTTPRoute", to: "Service" }));
  expect(sentences(route({ hostnames, rules }), granted)).toEqual([]);
});

test("a Gateway causes warnings for listeners that are not served, and none for Secrets that are not in memory", () => {
  const secure = (name: string) =>
    listener({ name, port: 443, hostname: `${name}.example`, protocol: "HTTPS", tls: { certificateRefs: [{ name }] } });
  const listeners = [
    listener({}),
    listener({ name: "udp", port: 53, protocol: "Strange" }),
    secure("unread"),
    secure("gone"),
  ];
  const warnings = sentences(gateway({ name: "new", listeners }), put(world, bare));
  expect(warnings).toEqual([
    expect.stringMatching(/^spec.listeners\[1\].protocol: Strange is not /),
    expect.stringMatching(/certificateRefs\[0\]: Secret ns\/gone not found; it is not served/),
  ]);
});

test("a ListenerSet causes warnings for a Gateway that is missing or does not admit it, and for listeners that others have", () => {
  const http = listener({ hostname: "x.a.example" });
  const set = (more: Partial<Parameters<typeof listenerSet>[0]> = {}) =>
    listenerSet({ gateway: "open", name: "new", listeners: [http], ...more });
  const allowedListeners = { namespaces: { from: "Same" } };
  const all = put(world, gateway({ name: "open", listeners: [listener({})], spec: { allowedListeners } }));
  expect(sentences(set(), all)).toEqual([]);
  expect(sentences(set({ gateway: "theirs" }), all), "another controller's").toEqual([]);
  expect(sentences(set({ gateway: "none" }), all)).toEqual([
    "spec.parentRef: Gateway ns/none not found; none of its listeners is served",
  ]);
  expect(sentences(set({ gateway: "gw" }), all)).toEqual([
    "spec.parentRef: Gateway ns/gw takes no ListenerSets of namespace ns (spec.allowedListeners); none of its listeners is served",
  ]);
  const older = listenerSet({ gateway: "open", name: "old", age: 9, listeners: [http] });
  expect(sentences(set(), put(all, older))).toEqual([
    "spec.listeners[0].hostname: the older ListenerSet old has hostname x.a.example on port 80 too; the listener is not served",
  ]);
  const elsewhere = listenerSet({ gateway: "gw", name: "old", age: 9, listeners: [http] });
  expect(sentences(set(), put(all, elsewhere)), "a set of another Gateway").toEqual([]);
});

const review = (object: unknown, kind = "HTTPRoute") =>
  JSON.stringify({
    apiVersion: "admission.k8s.io/v1",
    kind: "AdmissionReview",
    request: {
      uid: "u",
      namespace: "ns",
      operation: "CREATE",
      kind: { group: "gateway.networking.k8s.io", version: "v1", kind },
      object,
    },
  });

test.each<[string, unknown]>([
  ["text for a list of parents", { metadata: { name: "a" }, spec: { parentRefs: "x" } }],
  ["numbers for rules", { metadata: { name: "a" }, spec: { parentRefs: [{ name: "gw" }], rules: [1, null] } }],
  ["a list for a specification", { metadata: { name: "a" }, spec: [] }],
  ["no metadata", { spec: {} }],
  ["a huge list", { metadata: { name: "a" }, spec: { rules: Array.from({ length: 1_000 }, () => ({})) } }],
  ["a huge text", { metadata: { name: "a" }, spec: { hostnames: ["a".repeat(1_000_000)] } }],
  [
    "a name of the prototype",
    { metadata: { name: "a", namespace: "__proto__" }, spec: { parentRefs: [{ name: "toString" }] } },
  ],
])("a route with %s is allowed without a warning", (_, object) => {
  const read = readQuestion(review(object));
  if (!read.ok) throw new Error(read.why);
  const { object: subject } = read.question;
  if (subject === undefined) return;
  expect(subject.metadata.namespace).toBe("ns");
  const warnings = warningsFor(subject as ReturnType<typeof route>, world, options);
  const answer = JSON.parse(answerTo("u", answerOf({ kind: "judged", refusals: [], warnings })));
  expect(answer.response.allowed).toBe(true);
  for (const warning of answer.response.warnings ?? []) expect(warning).not.toContain("bug");
});

test("a path that an older Ingress of another namespace has on a shared port is a warning", () => {
  const theirs = ingress({
    name: "theirs",
    namespace: "other",
    host: "both.example",
    metadata: { creationTimestamp: "2020" },
  });
  const beside = { ...options, gateway: { ...options.gateway, shared: "ns/gw" } };
  const snapshot = put(world, gateway({}), ingressClass as KubernetesObject, theirs);
  const warned = (hostname: string) => warningsFor(route({ hostnames: [hostname] }), snapshot, beside).map(sentence);
  expect(warned("both.example")).toEqual([
    "spec.rules[0]: the older Ingress other/theirs has path / of host both.example; this match takes no request of it",
  ]);
  expect(warned("one.example")).toEqual([]);
});

test("RouteSettings are refused for guards that cannot be read, and cause warnings for other unreadable keys", () => {
  const bench = { snapshot: world, settings: defaultSettings, options };
  const verdict = (values: Readonly<Record<string, unknown>>) => {
    const judged = settingsVerdict(routeSettings({ values }), bench);
    if (judged.kind !== "judged") throw new Error(judged.kind);
    return [judged.refusals, judged.warnings].map((all) => all.map((one) => sentence(one).split(":")[0]));
  };
  expect(verdict({ "proxy-body-size": "8m" })).toEqual([[], []]);
  expect(verdict({ "allowlist-source-range": "x", "proxy-body-size": "x" })).toEqual([
    ["spec.allowlist-source-range"],
    ["spec.proxy-body-size"],
  ]);
  expect(verdict({ "auth-type": "basic", "auth-secret": "later" }), "the Secret may come").toEqual([[], []]);
});

test("a route that names existing RouteSettings passes without a warning", () => {
  const rules = [{ filters: [bySettings()], backendRefs: [{ name: "web", port: 80 }] }];
  expect(sentences(route({ hostnames, rules }), put(world, routeSettings({})))).toEqual([]);
  expect(sentences(route({ hostnames, rules }))).toEqual([
    expect.stringContaining("RouteSettings ns/settings not found"),
  ]);
});
