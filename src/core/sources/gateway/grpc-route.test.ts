import { expect, test } from "vitest";
import {
  gateway,
  gatewayClass,
  grant,
  grpcRoute,
  listener,
  route,
  serviceIn,
} from "../../../../test/support/gateways.ts";
import { configMap, fake, put } from "../../../../test/support/sketch.ts";
import { conditionWords } from "../../model/condition-words.ts";
import type { KubernetesObject } from "../../model/objects.ts";
import { sentence } from "../../model/problem.ts";
import { emptySnapshot } from "../../model/snapshot.ts";
import { defaultOptions } from "../../table/options.ts";
import { translate } from "../../table/translator.ts";
import { emptyInputs } from "../../table/turn.ts";
import type { Capability } from "../../tokens/capabilities.ts";

const world = put(emptySnapshot, gatewayClass(), serviceIn("ns", "web"), serviceIn("ns", "other"));
const pool = { ...defaultOptions, gateway: { ...defaultOptions.gateway, addresses: ["192.0.2.10"] } };

function outcome(objects: readonly KubernetesObject[], options = pool) {
  const { configuration, problems, statuses } = translate(
    { ...emptyInputs, snapshot: put(world, gateway({}), ...objects) },
    options,
    fake,
  );
  const server = [...configuration.servers.values()].find(({ listener: one }) => one !== undefined);
  const status = statuses.get("GRPCRoute ns/calls");
  const conditions = status?.kind === "route" ? (status.parents[0]?.conditions ?? []) : [];
  return {
    sentences: [...problems.values()].flat().map(sentence),
    server,
    /**
     * The routes in the order in which nginx tries them: kind of match, path, conditions and owner.
     */
    order: (server?.routes ?? []).map(({ match, path, conditions: more, location }) => {
      const { owner, rule } = server!.locations[location]!;
      return [match, path, conditionWords(more), rule ?? owner!.name].filter((word) => word !== "").join(" ");
    }),
    conditions: Object.fromEntries(
      conditions.map(({ type, status: is, reason }) => [type, is === "True" ? true : reason]),
    ),
    messages: conditions.map(({ message }) => message).join("\n"),
  };
}

const to = (name: string) => [{ name, port: 80 }];
const rule = (name: string, ...matches: object[]) => ({ name, matches, backendRefs: to("web") });

test("calls are found by service and method, then by service, then by patterns and methods, then by headers", () => {
  const rules = [
    { name: "all", backendRefs: to("web") },
    rule("headers", { headers: [{ name: "X-Team", value: "a" }] }),
    rule("method", { method: { method: "Get" } }),
    rule("pattern", { method: { type: "RegularExpression", service: "shop\\.v.", method: "G.*" } }),
    rule("service", { method: { service: "shop.v1.Items" } }),
    rule("both", { method: { service: "shop.v1.Items", method: "Get" } }),
    rule("more", { method: { service: "shop.v1.Items", method: "Get" }, headers: [{ name: "a", value: "b" }] }),
  ];
  const { order, sentences, conditions } = outcome([grpcRoute({ rules })]);
  expect(sentences).toEqual([]);
  expect(conditions).toEqual({ Accepted: true, ResolvedRefs: true });
  expect(order).toEqual([
    "exact /shop.v1.Items/Get gRPC, header a: b more",
    "exact /shop.v1.Items/Get gRPC both",
    "exact /shop.v1.Items gRPC service",
    "prefix /shop.v1.Items/ gRPC service",
    "prefix / gRPC, service ~ shop\\.v., method ~ G.* pattern",
    "prefix / gRPC, method Get method",
    "prefix / gRPC, header x-team: a headers",
    "prefix / gRPC all",
  ]);
});

test("rules of HTTPRoutes and GRPCRoutes are in one order on a host", () => {
  const http = route({
    name: "pages",
    rules: [
      { matches: [{ path: { value: "/" } }], backendRefs: to("other") },
      { matches: [{ path: { type: "Exact", value: "/shop.Items/Get" } }], backendRefs: to("other") },
      {
        matches: [{ path: { value: "/" }, method: "POST", headers: [{ name: "a", value: "b" }] }],
        backendRefs: to("other"),
      },
    ],
  });
  const calls = grpcRoute({
    rules: [
      rule("both", { method: { service: "shop.Items", method: "Get" } }),
      { name: "all", backendRefs: to("web") },
    ],
  });
  const { order, server } = outcome([http, calls]);
  expect(order).toEqual([
    "exact /shop.Items/Get gRPC both",
    "exact /shop.Items/Get pages",
    "prefix / POST, header a: b pages",
    "prefix / gRPC all",
    "prefix / pages",
  ]);
  expect(server?.locations.map(({ unusableStatus }) => unusableStatus)).toEqual([
    503,
    undefined,
    undefined,
    503,
    undefined,
  ]);
});

test("a backend gets cleartext HTTP/2 unless its port has TLS", () => {
  const ports = ["", "grpc", "http", "kubernetes.io/h2c", "https", "grpcs", "kubernetes.io/ws"];
  const services = ports.map((appProtocol, at) => serviceIn("ns", `s${at}`, appProtocol === "" ? {} : { appProtocol }));
  const rules = [{ backendRefs: ports.map((_, at) => ({ name: `s${at}`, port: 80 })) }];
  const { server, sentences, conditions } = outcome([...services, grpcRoute({ rules })]);
  expect(server?.locations[0]?.backends.map(({ protocol, unusable }) => protocol ?? unusable?.kind)).toEqual([
    ...["h2c", "h2c", "h2c", "h2c", "grpcs", "grpcs"],
    "value-unsupported",
  ]);
  expect(conditions).toEqual({ Accepted: true, ResolvedRefs: "UnsupportedProtocol" });
  expect(sentences.join()).toContain(
    "kubernetes.io/ws, which is not one of grpc, http, kubernetes.io/h2c, grpcs, https",
  );
  expect(sentences.join()).toContain("its share of the requests gets 503");
});

test("mistakes of a GRPCRoute are Problems, and the rest is served", () => {
  const missing = { type: "RequestMirror", requestMirror: { backendRef: { name: "missing", port: 80 } } };
  const extension = { type: "ExtensionRef", extensionRef: { group: "example.com", kind: "Auth", name: "a" } };
  const rules = [
    rule("pattern", { method: { type: "RegularExpression", service: "(" } }, { method: { service: "a.B" } }),
    { ...rule("extended", { method: { method: "Extended" } }), filters: [extension] },
    { ...rule("mirrored", { method: { method: "Mirrored" } }), filters: [missing] },
    rule("slash", { method: { service: "a/b", method: "C" } }),
    { ...rule("away", { method: { method: "Away" } }), backendRefs: [{ name: "web", namespace: "theirs", port: 80 }] },
  ];
  const { sentences, conditions, order, server, messages } = outcome([grpcRoute({ rules })]);
  expect(sentences.map((one) => one.slice(0, 60))).toMatchInlineSnapshot(`
    [
      "spec.rules[2].filters[0].requestMirror.backendRef: Service n",
      "spec.rules[4].backendRefs[0]: no ReferenceGrant of namespace",
      "spec.rules[0].matches[0].method.service: "(" is not a regula",
      "spec.rules[1].filters[0].extensionRef: "example.com Auth" is",
      "spec.rules[3].matches[0].method.service: "a/b" has a slash i",
    ]
  `);
  expect(conditions).toEqual({ Accepted: true, ResolvedRefs: "BackendNotFound", PartiallyInvalid: true });
  expect(messages).toContain("it gets no copies");
  expect(order.map((one) => one.split(" ").at(-1))).toEqual([
    ...["pattern", "pattern", "extended", "mirrored", "away"],
  ]);
  expect(server?.locations.map(({ filters, backends }) => [filters, backends[0]?.unusable?.kind])).toEqual([
    [undefined, undefined],
    [undefined, "value-unusable"],
    [undefined, undefined],
    [undefined, "reference-forbidden"],
  ]);
});

test("calls are copied when they have ended, and not without the module that keeps their bodies", () => {
  const mirror = { type: "RequestMirror", requestMirror: { backendRef: { name: "other", port: 80 }, percent: 20 } };
  const rules = [{ ...rule("mirrored", { method: { method: "Mirrored" } }), filters: [mirror] }];
  const whole = outcome([grpcRoute({ rules })]);
  expect([whole.sentences, whole.conditions]).toEqual([[], { Accepted: true, ResolvedRefs: true }]);
  expect(whole.server?.locations.map(({ filters }) => filters?.mirrors)).toEqual([
    [{ upstream: "ns/other/80 for routes", share: 0.2, way: { isHttp2: true }, isLate: true }],
  ]);
  const without = outcome([grpcRoute({ rules })], { ...pool, lacks: new Set<Capability>(["keptBody"]) });
  expect(without.sentences).toEqual([
    "spec.rules[0].filters[0]: is not served for calls of gRPC here, because nginx has no module that keeps their bodies; it gets no copies",
  ]);
  expect(without.conditions).toEqual({ Accepted: true, ResolvedRefs: true });
  expect(without.messages).toContain("it gets no copies");
  expect(without.server?.locations.map(({ filters }) => filters)).toEqual([undefined]);
});

test("a rule of a GRPCRoute may have sessions, and a mistake in them closes it with gRPC's status", () => {
  const method = { service: "shop.Items", method: "Get" };
  const kept = (sessionPersistence: object) => grpcRoute({ rules: [{ ...rule("r", { method }), sessionPersistence }] });
  const { server, sentences } = outcome([kept({ type: "Header", sessionName: "X-Session", absoluteTimeout: "1h" })]);
  expect(sentences).toEqual([]);
  expect(server!.locations[0]!.filters?.session).toMatchObject({ type: "header", name: "X-Session", seconds: 3_600 });
  const broken = outcome([kept({ type: "Address" })]);
  expect(broken.sentences).toEqual([
    'spec.rules[0].sessionPersistence.type: "Address" is not Cookie or Header; the requests of the rule get 503',
  ]);
  expect(broken.server!.locations[0]!.backends[0]!.unusable, "no request passes").toMatchObject({
    kind: "value-unusable",
  });
});

test("a Service of another namespace needs a grant for GRPCRoutes", () => {
  const theirs = [
    serviceIn("theirs", "web"),
    grpcRoute({ rules: [{ backendRefs: [{ ...to("web")[0], namespace: "theirs" }] }] }),
  ];
  const granted = grant({ namespace: "theirs", from: "GRPCRoute", to: "Service" });
  const other = grant({ namespace: "theirs", from: "HTTPRoute", to: "Service" });
  expect(outcome([...theirs, other]).conditions).toMatchObject({ ResolvedRefs: "RefNotPermitted" });
  expect(outcome([...theirs, granted]).conditions).toMatchObject({ ResolvedRefs: true });
});

test("a GRPCRoute is attached where its listener allows the kind", () => {
  const http = listener({ allowedRoutes: { kinds: [{ kind: "HTTPRoute" }] } });
  const refused = outcome([gateway({ listeners: [http] }), grpcRoute({})]);
  expect(refused.conditions.Accepted).toBe("NotAllowedByListeners");
  expect(refused.messages).toContain("listener http of Gateway ns/gw does not take GRPCRoutes");
  const calls = listener({ allowedRoutes: { kinds: [{ kind: "GRPCRoute" }] } });
  expect(outcome([gateway({ listeners: [calls] }), grpcRoute({})]).conditions.Accepted).toBe(true);
});

test("a route without rules has a message, and so has one that this nginx serves over TLS alone", () => {
  const none = outcome([grpcRoute({ rules: [] })]);
  expect(none.sentences).toMatchInlineSnapshot(`
    [
      "spec.rules: is empty; no request is sent by the route",
    ]
  `);
  expect(none.server).toBeUndefined();
  const old = outcome([grpcRoute({})], { ...pool, lacks: new Set(["http2Directive" as const]) });
  expect(old.conditions).toEqual({ Accepted: true, ResolvedRefs: true });
  expect(old.messages).toContain("calls of gRPC need TLS");
});

test("where clients may not use HTTP/2, each GRPCRoute has a message that no call arrives", () => {
  const options = { ...pool, configMap: "ns/settings" };
  const { sentences, messages, conditions } = outcome(
    [grpcRoute({ rules: [rule("all")] }), configMap("ns/settings", { "use-http2": "false" })],
    options,
  );
  const words =
    "spec.parentRefs[0]: use-http2 of the ConfigMap is false, and clients of gRPC need HTTP/2; no call comes in there";
  expect(sentences).toEqual([words]);
  expect(conditions).toEqual({ Accepted: true, ResolvedRefs: true });
  expect(messages).toContain(words);
});
