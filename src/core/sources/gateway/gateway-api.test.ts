/**
 * Gateways and HTTPRoutes: conditions with their reasons, and the hosts, paths and ports that they
 * make.
 */
import { expect, test } from "vitest";
import {
  gateway,
  gatewayClass,
  grant,
  listener,
  namespace,
  pooled,
  route,
  serviceIn,
  shortConditions,
} from "../../../../test/support/gateways.ts";
import { configMap, fake, put } from "../../../../test/support/sketch.ts";
import type { KubernetesObject } from "../../model/objects.ts";
import { sentence } from "../../model/problem.ts";
import { severityOf } from "../../model/problem-kinds.ts";
import { emptySnapshot, type Snapshot, withObjects } from "../../model/snapshot.ts";
import { Table } from "../../model/table.ts";
import { emptyLastGood } from "../../table/last-good.ts";
import { defaultOptions } from "../../table/options.ts";
import { emptyQuarantine, versionOf } from "../../table/quarantine.ts";
import { Translator, translate } from "../../table/translator.ts";
import { emptyInputs } from "../../table/turn.ts";
import type { Capability } from "../../tokens/capabilities.ts";

const options = pooled;
const world = put(emptySnapshot, gatewayClass(), namespace("ns"), namespace("other"), serviceIn("ns", "web"));

function outcome(...objects: KubernetesObject[]) {
  const translation = translate({ ...emptyInputs, snapshot: put(world, ...objects) }, options, fake);
  const short = shortConditions;
  const statuses = new Map([...translation.statuses]);
  return {
    ...translation,
    sentences: [...translation.problems.values()].flat().map(sentence),
    gateway: (name = "gw") => {
      const status = statuses.get(`Gateway ns/${name}`);
      if (status?.kind !== "Gateway") throw new Error(`no status of ${name}`);
      const listeners = status.listeners.map((one) => ({
        attached: one.attachedRoutes,
        kinds: one.supportedKinds.map(({ kind }) => kind),
        ...short(one.conditions),
      }));
      return { addresses: status.addresses.map(({ value }) => value), ...short(status.conditions), listeners };
    },
    route: (key = "ns/route") => {
      const status = statuses.get(`HTTPRoute ${key}`);
      return status?.kind === "route" ? status.parents.map(({ conditions }) => short(conditions)) : undefined;
    },
  };
}

test("a Gateway with one HTTP listener has an address of the pool, a port and its route", () => {
  const { gateway: of, route: parents, configuration, sentences } = outcome(gateway({}), route({}));
  expect(sentences).toEqual([]);
  expect(of()).toEqual({
    addresses: ["192.0.2.10"],
    Accepted: true,
    Programmed: true,
    ResolvedRefs: true,
    listeners: [
      {
        attached: 1,
        kinds: ["GRPCRoute", "HTTPRoute"],
        Accepted: true,
        Conflicted: "NoConflicts",
        Programmed: true,
        ResolvedRefs: true,
      },
    ],
  });
  expect(parents()).toEqual([{ Accepted: true, ResolvedRefs: true }]);
  expect([...configuration.listenerPorts.values()]).toMatchObject([
    { id: "ns/gw:80", address: "192.0.2.10", listenPort: 80, port: 80, tls: false, listeners: [{ id: "ns/gw/http" }] },
  ]);
  const server = configuration.servers.get("ns/gw/http _");
  expect(server?.routes).toEqual([{ match: "prefix", path: "/", location: 0 }]);
  expect(server?.locations[0]?.backends).toMatchObject([{ upstream: "ns/web/80 for routes", port: "80", weight: 1 }]);
});

const listenerCases: readonly [string, readonly ReturnType<typeof listener>[], object, readonly object[]][] = [
  [
    "an unknown protocol",
    [listener({ protocol: "INVALID", port: 1111 })],
    { Accepted: "ListenersNotValid", Programmed: "Invalid" },
    [{ Accepted: "UnsupportedProtocol", Programmed: "Invalid", kinds: [] }],
  ],
  [
    "an unknown protocol beside a good one",
    [listener({}), listener({ name: "bad", protocol: "INVALID", port: 1111 })],
    { Accepted: "ListenersNotValid", Programmed: true },
    [{ Accepted: true }, { Accepted: "UnsupportedProtocol" }],
  ],
  [
    "a kind of route that HTTP does not carry",
    [listener({ allowedRoutes: { kinds: [{ kind: "Strange" }] } })],
    { Accepted: true },
    [{ ResolvedRefs: "InvalidRouteKinds", kinds: [] }],
  ],
  [
    "a good and a strange kind of route",
    [listener({ allowedRoutes: { kinds: [{ kind: "HTTPRoute" }, { kind: "Strange" }] } })],
    { Accepted: true },
    [{ ResolvedRefs: "InvalidRouteKinds", kinds: ["HTTPRoute"] }],
  ],
  [
    "one hostname twice on a port",
    [listener({ name: "a", hostname: "a.example" }), listener({ name: "b", hostname: "a.example" })],
    { Accepted: "ListenersNotValid", Programmed: "Invalid" },
    [
      { Accepted: "HostnameConflict", Conflicted: "HostnameConflict", Programmed: "HostnameConflict" },
      { Accepted: "HostnameConflict", Conflicted: "HostnameConflict", Programmed: "HostnameConflict" },
    ],
  ],
  [
    "two protocols on a port",
    [listener({ name: "a" }), listener({ name: "b", protocol: "HTTPS" })],
    { Accepted: "ListenersNotValid", Programmed: "Invalid" },
    [{ Conflicted: "ProtocolConflict" }, { Conflicted: "ProtocolConflict" }],
  ],
  [
    "a Secret that does not exist",
    [listener({ protocol: "HTTPS", port: 443, tls: { certificateRefs: [{ name: "missing" }] } })],
    { Accepted: true, Programmed: "Invalid", ResolvedRefs: "ListenersNotResolved" },
    [{ Accepted: true, Programmed: "Invalid", ResolvedRefs: "InvalidCertificateRef" }],
  ],
  [
    "a Secret of another namespace without a grant",
    [listener({ protocol: "HTTPS", port: 443, tls: { certificateRefs: [{ name: "tls", namespace: "other" }] } })],
    { Programmed: "Invalid" },
    [{ ResolvedRefs: "RefNotPermitted" }],
  ],
  [
    "a certificate of another kind",
    [listener({ protocol: "HTTPS", port: 443, tls: { certificateRefs: [{ name: "tls", kind: "ConfigMap" }] } })],
    { Programmed: "Invalid" },
    [{ ResolvedRefs: "InvalidCertificateRef" }],
  ],
  [
    "TLS that passes through",
    [listener({ protocol: "TLS", port: 443, tls: { mode: "Passthrough" } })],
    { Accepted: true },
    [{ Accepted: true, Programmed: true, kinds: ["TLSRoute"] }],
  ],
  [
    "TLS that ends without a certificate",
    [listener({ protocol: "TLS", port: 443, tls: { mode: "Terminate" } })],
    { Accepted: true, Programmed: "Invalid" },
    [{ ResolvedRefs: "InvalidCertificateRef", Programmed: "Invalid" }],
  ],
  [
    "TCP beside HTTP",
    [listener({}), listener({ name: "tcp", protocol: "TCP" })],
    { Accepted: "ListenersNotValid" },
    [{ Conflicted: "ProtocolConflict" }, { Conflicted: "ProtocolConflict", kinds: ["TCPRoute"] }],
  ],
  [
    "one number for TCP twice, and for UDP",
    [
      listener({ protocol: "TCP" }),
      listener({ name: "twin", protocol: "TCP" }),
      listener({ name: "udp", protocol: "UDP" }),
    ],
    { Accepted: "ListenersNotValid" },
    [
      { Conflicted: "ProtocolConflict" },
      { Conflicted: "ProtocolConflict" },
      { Accepted: true, Conflicted: "NoConflicts", kinds: ["UDPRoute"] },
    ],
  ],
];
test.each(listenerCases)("listeners with %s have the expected conditions", (_, listeners, whole, each) => {
  const status = outcome(gateway({ listeners })).gateway();
  expect(status).toMatchObject(whole);
  expect(status.listeners).toMatchObject(each);
});

test("listeners of HTTPS and TLS on one port say which of them have hosts in common", () => {
  const through = { port: 443, protocol: "TLS", tls: { mode: "Passthrough" } } as const;
  const listeners = [
    listener({ name: "wide", ...through, hostname: "*.a.example" }),
    listener({ name: "web", port: 443, protocol: "HTTPS", hostname: "web.a.example" }),
    listener({ name: "apart", ...through, hostname: "a.example" }),
    listener({ name: "other", ...through, port: 8443, hostname: "web.a.example" }),
  ];
  const { statuses } = translate({ ...emptyInputs, snapshot: put(world, gateway({ listeners })) }, options, fake);
  const status = statuses.get("Gateway ns/gw");
  if (status?.kind !== "Gateway") throw new Error("no status");
  const overlaps = status.listeners.map(({ conditions }) =>
    conditions.filter(({ type }) => type === "OverlappingTLSConfig").map(({ reason, message }) => [reason, message]),
  );
  const common = (name: string) => `some hosts belong to listener ${name} too`;
  expect(overlaps).toEqual([
    [["OverlappingHostnames", `${common("web")}, and the most specific hostname takes a connection`]],
    [["OverlappingHostnames", `${common("wide")}, so a client that reuses a connection for another host gets 421`]],
    [],
    [],
  ]);
});

const addressCases: readonly [string, object, object][] = [
  ["any address", { addresses: [{ type: "IPAddress" }] }, { addresses: ["192.0.2.10"], Programmed: true }],
  ["the second of the pool", { addresses: [{ value: "192.0.2.11" }] }, { addresses: ["192.0.2.11"], Programmed: true }],
  [
    "two of the pool",
    { addresses: [{ value: "192.0.2.11" }, { value: "192.0.2.10" }] },
    { addresses: ["192.0.2.11", "192.0.2.10"], Programmed: true },
  ],
  [
    "one that is not in the pool, and one that is",
    { addresses: [{ value: "198.51.100.1" }, { value: "192.0.2.11" }] },
    { Accepted: true, Programmed: "AddressNotUsable", addresses: ["192.0.2.11"] },
  ],
  [
    "an unknown type",
    { addresses: [{ type: "test/fake", value: "x" }, { value: "192.0.2.11" }] },
    { Accepted: "UnsupportedAddress", Programmed: "Invalid" },
  ],
  [
    "more than there are",
    { addresses: [{}, {}, {}] },
    { Programmed: "AddressNotAssigned", addresses: ["192.0.2.10", "192.0.2.11"] },
  ],
];
test.each(addressCases)("a Gateway that asks for %s has the expected conditions", (_, spec, expected) => {
  expect(outcome(gateway({ spec })).gateway()).toMatchObject(expected);
});

test("a GatewayClass of ours is accepted with the features of this nginx, and in static mode it is refused", () => {
  const status = (...lacks: Capability[]) => {
    const snapshot = put(emptySnapshot, gatewayClass(), gatewayClass("theirs", "other.example/controller"));
    const { statuses } = translate({ ...emptyInputs, snapshot }, { ...options, lacks: new Set(lacks) }, fake);
    expect([...statuses.keys()]).toEqual(["GatewayClass sluice"]);
    const one = statuses.get("GatewayClass sluice");
    return one?.kind === "GatewayClass" ? one : undefined;
  };
  const h2c = "HTTPRouteBackendProtocolH2C";
  expect(status()?.supportedFeatures).toEqual([...status()!.supportedFeatures].sort());
  expect(status()?.supportedFeatures).toContain(h2c);
  expect(status("http2Directive")?.supportedFeatures).not.toContain(h2c);
  expect(status()?.conditions).toMatchObject([{ type: "Accepted", status: "True" }, { type: "SupportedVersion" }]);
  const [accepted] = status("lua")!.conditions;
  expect(accepted).toMatchObject({ type: "Accepted", status: "False", reason: "Unsupported" });
  expect(accepted!.message).toContain("the Gateway API needs dynamic mode");
});

test("a GatewayClass has a condition with the version of the definitions, and whether Sluice knows it", () => {
  const translator = new Translator(options, fake);
  const snapshot = put(emptySnapshot, gatewayClass());
  const condition = (definitionVersions: Snapshot["definitionVersions"]) => {
    const { statuses } = translator.turn({ ...emptyInputs, snapshot: { ...snapshot, definitionVersions } });
    const status = statuses.get("GatewayClass sluice");
    const [accepted, supported] = status?.kind === "GatewayClass" ? status.conditions : [];
    expect(accepted, "it is served in any case").toMatchObject({ type: "Accepted", status: "True" });
    return `${supported?.type} ${supported?.status} ${supported?.reason}: ${supported?.message}`;
  };
  const of = (gateways: string, routes = gateways) =>
    new Map([
      ["gateways.x", gateways],
      ["httproutes.x", routes],
    ]);
  const known = "Sluice knows v1.0 to v1.7";
  const bestEffort = `${known}; Gateways are served as far as that goes`;
  const [yes, no] = ["SupportedVersion True SupportedVersion: ", "SupportedVersion False UnsupportedVersion: "];
  expect(condition(undefined)).toBe(`${yes}Sluice knows the Gateway API v1.0 to v1.7`);
  expect(condition(of("v1.6.3"))).toBe(`${yes}the definitions of the Gateway API are of v1.6.3`);
  expect(condition(of("v1.7.0-rc.1", "v1.0.0"))).toBe(
    `${yes}the definitions of the Gateway API are of v1.0.0, v1.7.0-rc.1`,
  );
  expect(condition(of("v1.8.0", "v1.6.3"))).toBe(`${no}the definition gateways.x is of v1.8.0. ${bestEffort}`);
  expect(condition(of("v0.8.1", ""))).toBe(
    `${no}the definition httproutes.x is without a version; the definition gateways.x is of v0.8.1. ${bestEffort}`,
  );
  expect(condition(of("v2.0.0"))).toBe(`${no}the definitions gateways.x, httproutes.x are of v2.0.0. ${bestEffort}`);
  expect(condition("unreadable")).toBe(
    `SupportedVersion Unknown VersionUnknown: the definitions of the Gateway API cannot be read, because the right to get them is missing. ${known}`,
  );
});

test("with definitions of v1.0 and v1.1, whose features have another form, a GatewayClass lists none", () => {
  const snapshot = put(emptySnapshot, gatewayClass());
  const features = (version: string) => {
    const definitionVersions = new Map([["gatewayclasses.gateway.networking.k8s.io", version]]);
    const { statuses } = translate({ ...emptyInputs, snapshot: { ...snapshot, definitionVersions } }, options, fake);
    const status = statuses.get("GatewayClass sluice");
    return status?.kind === "GatewayClass" ? status.supportedFeatures.length > 0 : undefined;
  };
  expect(["v1.0.0", "v1.1.1", "v1.2.0", "v1.10.0", ""].map(features)).toEqual([false, false, true, true, true]);
});

test("requests get no port of a TCP service on an address of the pool, and streams may have it, too", () => {
  const translator = new Translator({ ...options, tcpServicesConfigMap: "ns/tcp" }, fake);
  const ports = (...numbers: number[]) =>
    configMap("ns/tcp", Object.fromEntries(numbers.map((number) => [number, "ns/web:80"])));
  const listeners = [listener({ port: 8000 }), listener({ name: "tcp", port: 5432, protocol: "TCP" })];
  let quarantine = emptyQuarantine;
  const conditions = (...objects: KubernetesObject[]) => {
    const snapshot = put(world, gateway({ listeners }), ...objects);
    const { statuses } = translator.turn({ ...emptyInputs, snapshot, quarantine });
    const status = statuses.get("Gateway ns/gw");
    if (status?.kind !== "Gateway") throw new Error("no status");
    return status.listeners.map((one) => shortConditions(one.conditions).Accepted);
  };
  expect(conditions()).toEqual([true, true]);
  expect(conditions(ports(8000, 5432))).toEqual(["PortUnavailable", true]);
  expect(conditions(ports(5432))).toEqual([true, true]);
  const refused = new Map([["tcp/8000", { version: "ns/web:80", why: "nginx cannot listen" }]]);
  expect(conditions(ports(8000, 5432)), "before nginx refuses it").toEqual(["PortUnavailable", true]);
  quarantine = { ...emptyQuarantine, ports: refused };
  expect(conditions(ports(8000, 5432)), "while nginx refuses the service").toEqual([true, true]);
});

test("without addresses of their own, Gateways keep their ports from TCP services", () => {
  const gatewayOptions = { ...defaultOptions.gateway, sharesPorts: true };
  const sharing = { ...defaultOptions, gateway: gatewayOptions, tcpServicesConfigMap: "ns/tcp" };
  const listeners = [listener({ port: 8000 }), listener({ name: "tcp", port: 5432, protocol: "TCP" })];
  const services = configMap("ns/tcp", { "8000": "ns/web:80", "5432": "ns/web:80" });
  const snapshot = put(world, gateway({ listeners }), services);
  const { problems } = translate({ ...emptyInputs, snapshot }, sharing, fake);
  expect([...problems.values()].flat().map(sentence)).toEqual([
    "data.5432: port 5432 is taken by Gateway ns/gw; the port is not opened",
    "data.8000: port 8000 is taken by Gateway ns/gw; the port is not opened",
  ]);
});

test("a Gateway keeps its address while it is valid, and the oldest Gateway chooses first", () => {
  const kept = gateway({ name: "young", age: 1, status: { addresses: [{ type: "IPAddress", value: "192.0.2.10" }] } });
  const found = outcome(kept, gateway({ name: "old", age: 9 }), gateway({ name: "third", age: 0 }));
  expect(found.gateway("young").addresses).toEqual(["192.0.2.10"]);
  expect(found.gateway("old").addresses).toEqual(["192.0.2.11"]);
  expect(found.gateway("third")).toMatchObject({ addresses: [], Programmed: "AddressNotAssigned" });
  expect(found.sentences).toEqual([
    "spec.addresses: all 2 addresses of --gateway-addresses are used or are not of this machine; nginx listens nowhere for it",
  ]);
});

const sharing = { ...options.gateway, addresses: [], sharesPorts: true, httpPort: 8080, httpsPort: 8443 };

/**
 * Returns the ports, by the address and port on which nginx listens, with their listeners, and the
 * reasons why other listeners have no port.
 */
function placed(more: Partial<typeof options>, ...gateways: readonly ReturnType<typeof gateway>[]) {
  const snapshot = put(world, ...gateways);
  const { configuration, problems } = translate(
    { ...emptyInputs, snapshot },
    { ...options, gateway: sharing, ...more },
    fake,
  );
  const ports = [...configuration.listenerPorts.values()].map(({ listenPort, port, usualPorts, listeners }) => {
    return [
      listenPort,
      port,
      usualPorts?.https,
      ...listeners.map(({ name, gateway: owner }) => `${owner.slice(3)}/${name}`),
    ];
  });
  return { ports: ports.sort(), sentences: [...problems.values()].flat().map(sentence) };
}

test("where Gateways share the ports of this machine, listeners on 80 and 443 are on the ports of Ingresses", () => {
  const ends = "and Gateways without addresses of their own share ports; the listener is not served";
  const tls = (port: number, name = "tls") =>
    listener({ name, port, protocol: "HTTPS", tls: { certificateRefs: [{ name: "none" }] } });
  expect(placed({}, gateway({ listeners: [listener({}), listener({ name: "more", port: 8000 })] }))).toEqual({
    ports: [
      [8000, 8000, 8443, "gw/more"],
      [8080, 8080, 8443, "gw/http"],
    ],
    sentences: [],
  });
  const young = gateway({ name: "young", age: 1, listeners: [listener({ name: "same", port: 8080 })] });
  expect(placed({}, gateway({}), young).sentences).toEqual([
    `spec.listeners[0].port: the older Gateway ns/gw has all hosts on port 8080, ${ends}`,
  ]);
  expect(placed({}, gateway({ listeners: [listener({}), listener({ name: "same", port: 8080 })] })).sentences).toEqual([
    `spec.listeners[1].port: listener http has all hosts on port 8080, ${ends}`,
  ]);
  expect(placed({}, gateway({ listeners: [listener({ port: 443 })] }))).toEqual({
    ports: [],
    sentences: [`spec.listeners[0].port: Ingresses have port 443 (8443 here) with protocol HTTPS, ${ends}`],
  });
  const through = placed({ enableSslPassthrough: true }, gateway({ listeners: [tls(443)] }));
  expect(through.ports, "behind the stream module").toEqual([[8443, 8443, 8443, "gw/tls"]]);
  const usual = { ...sharing, httpPort: 80, httpsPort: 443 };
  expect(placed({ gateway: usual }, gateway({})).ports).toEqual([[80, 80, undefined, "gw/http"]]);
});

test("a Gateway with a type of address that is not served takes no port from others", () => {
  const named = { addresses: [{ type: "Hostname", value: "a.example" }] };
  const old = gateway({ name: "old", age: 9, spec: named });
  expect(placed({}, old, gateway({}))).toEqual({
    ports: [[8080, 8080, 8443, "gw/http"]],
    sentences: ["spec.addresses[0].type: Hostname is not IPAddress; the Gateway is not accepted"],
  });
  expect(outcome(old).gateway("old")).toMatchObject({ Programmed: "Invalid", listeners: [{ Programmed: "Invalid" }] });
});

test("routes that use the default Gateways are attached to all of them, as far as these take them", () => {
  const as = (defaultScope: string, sketch: Parameters<typeof gateway>[0] = {}) =>
    gateway({ ...sketch, spec: { defaultScope } });
  const using = (parentRefs: readonly object[] | undefined, scope = "All", home = "ns") => {
    const { spec, ...rest } = route({ namespace: home });
    const parents = parentRefs === undefined ? {} : { parentRefs };
    const { parentRefs: _, ...more } = spec!;
    return { ...rest, spec: { ...more, ...parents, useDefaultGateways: scope } } as KubernetesObject;
  };
  const found = outcome(as("All"), as("All", { name: "more" }), using(undefined));
  expect(found.sentences).toEqual([]);
  expect(found.route()).toEqual([
    { Accepted: true, ResolvedRefs: true },
    { Accepted: true, ResolvedRefs: true },
  ]);
  expect(parentsOf(found, "ns/route")).toEqual([
    { group: "gateway.networking.k8s.io", kind: "Gateway", namespace: "ns", name: "gw" },
    { group: "gateway.networking.k8s.io", kind: "Gateway", namespace: "ns", name: "more" },
  ]);
  expect(found.gateway("more")).toMatchObject({ DefaultGateway: true, listeners: [{ attached: 1 }] });
  const none = outcome(as("All"), as("None", { name: "no" }), using(undefined)).gateway("no");
  expect(none).toMatchObject({ listeners: [{ attached: 0 }] });
  expect(none).not.toHaveProperty("DefaultGateway");
  const both = outcome(as("All"), gateway({ name: "own" }), using([{ name: "own" }, { name: "gw" }]));
  expect(parentsOf(both, "ns/route")).toEqual([{ name: "own" }, { name: "gw" }]);
  expect(outcome(as("All"), using(undefined, "None")).route()).toBeUndefined();
  expect(outcome(gateway({}), using(undefined)).route(), "without a default Gateway").toBeUndefined();
  expect(outcome(as("All"), using(undefined, "All", "other")).route("other/route")).toEqual([
    { Accepted: "NotAllowedByListeners", ResolvedRefs: "BackendNotFound" },
  ]);
  expect(outcome(as("Some"), using([{ name: "gw" }], "Some")).sentences).toEqual([
    'spec.defaultScope: "Some" is not All or None; routes are attached where spec.parentRefs names the Gateway',
    'spec.useDefaultGateways: "Some" is not All or None; the route is attached to the Gateways that spec.parentRefs names',
  ]);
});

function parentsOf({ statuses }: Pick<ReturnType<typeof outcome>, "statuses">, key: string) {
  const status = statuses.get(`HTTPRoute ${key}`);
  return status?.kind === "route" ? status.parents.map(({ parentRef }) => parentRef) : undefined;
}

const parentCases: readonly [string, readonly ReturnType<typeof listener>[], Parameters<typeof route>[0], object][] = [
  ["an unknown section", [listener({})], { parent: { sectionName: "other" } }, { Accepted: "NoMatchingParent" }],
  ["another port", [listener({})], { parent: { port: 81 } }, { Accepted: "NoMatchingParent" }],
  ["the port", [listener({})], { parent: { port: 80, sectionName: "http" } }, { Accepted: true }],
  [
    "a listener that takes no HTTPRoutes",
    [listener({ protocol: "TLS", tls: { mode: "Passthrough" } })],
    {},
    { Accepted: "NotAllowedByListeners", ResolvedRefs: true },
  ],
  ["another namespace", [listener({})], { namespace: "other" }, { Accepted: "NotAllowedByListeners" }],
  [
    "another namespace that is allowed",
    [listener({ allowedRoutes: { namespaces: { from: "All" } } })],
    { namespace: "other" },
    { Accepted: true },
  ],
  [
    "no namespace allowed",
    [listener({ allowedRoutes: { namespaces: { from: "None" } } })],
    {},
    { Accepted: "NotAllowedByListeners" },
  ],
  [
    "a namespace that is selected by its name",
    [
      listener({
        allowedRoutes: {
          namespaces: { from: "Selector", selector: { matchLabels: { "kubernetes.io/metadata.name": "other" } } },
        },
      }),
    ],
    { namespace: "other" },
    { Accepted: true },
  ],
  [
    "no host of the listener",
    [listener({ hostname: "*.a.example" })],
    { hostnames: ["a.example", "b.example"] },
    { Accepted: "NoMatchingListenerHostname" },
  ],
  [
    "a host some labels below",
    [listener({ hostname: "*.a.example" })],
    { hostnames: ["x.y.a.example"] },
    { Accepted: true },
  ],
  ["a wider wildcard", [listener({ hostname: "b.a.example" })], { hostnames: ["*.example"] }, { Accepted: true }],
];
test.each(parentCases)("a route with %s has the expected conditions", (_, listeners, sketch, expected) => {
  const found = outcome(gateway({ listeners }), route(sketch));
  expect(found.route(`${sketch.namespace ?? "ns"}/route`)).toMatchObject([expected]);
});

const backendCases: readonly [string, object, object, readonly KubernetesObject[]][] = [
  ["a Service that does not exist", { name: "none", port: 80 }, { ResolvedRefs: "BackendNotFound" }, []],
  ["a port that the Service does not have", { name: "web", port: 81 }, { ResolvedRefs: "BackendNotFound" }, []],
  ["another kind", { name: "web", kind: "Strange", port: 80 }, { ResolvedRefs: "InvalidKind" }, []],
  [
    "a Service of another namespace",
    { name: "web", namespace: "other", port: 80 },
    { ResolvedRefs: "RefNotPermitted" },
    [serviceIn("other", "web")],
  ],
  [
    "a Service of another namespace with a grant",
    { name: "web", namespace: "other", port: 80 },
    { ResolvedRefs: true },
    [serviceIn("other", "web"), grant({ namespace: "other", from: "HTTPRoute", to: "Service" })],
  ],
  [
    "a Service of another namespace with a grant for another name",
    { name: "web", namespace: "other", port: 80 },
    { ResolvedRefs: "RefNotPermitted" },
    [serviceIn("other", "web"), grant({ namespace: "other", from: "HTTPRoute", to: "Service", name: "api" })],
  ],
  [
    "a Service with an unknown protocol",
    { name: "strange", port: 80 },
    { ResolvedRefs: "UnsupportedProtocol" },
    [serviceIn("ns", "strange", { appProtocol: "mongo" })],
  ],
];
test.each(backendCases)("a route to %s has the expected conditions", (_, backend, expected, objects) => {
  const { route: of, configuration } = outcome(gateway({}), route({ rules: [{ backendRefs: [backend] }] }), ...objects);
  expect(of()).toMatchObject([{ Accepted: true, ...expected }]);
  const [location] = configuration.servers.get("ns/gw/http _")!.locations;
  expect(location!.backends[0]!.unusable === undefined).toBe(
    "ResolvedRefs" in expected && expected.ResolvedRefs === true,
  );
});

const backendRefs = [{ name: "web", port: 80 }];
const ruleCases: readonly [string, readonly object[], object][] = [
  [
    "an unknown filter",
    [{ filters: [{ type: "Strange" }], backendRefs }],
    { Accepted: "UnsupportedValue", PartiallyInvalid: undefined },
  ],
  [
    "an unknown filter beside a good rule",
    [{ filters: [{ type: "Strange" }], backendRefs }, { backendRefs }],
    { Accepted: true, PartiallyInvalid: "UnsupportedValue" },
  ],
  [
    "filters that exclude each other",
    [
      {
        filters: [
          { type: "URLRewrite", urlRewrite: {} },
          { type: "RequestRedirect", requestRedirect: {} },
        ],
      },
    ],
    { Accepted: "IncompatibleFilters" },
  ],
  [
    "a malformed pattern",
    [{ matches: [{ path: { type: "RegularExpression", value: "/(" } }] }],
    { Accepted: "UnsupportedValue" },
  ],
  ["a malformed duration", [{ timeouts: { request: "soon" }, backendRefs }], { Accepted: "UnsupportedValue" }],
  ["an invalid status", [{ retry: { codes: [500, 200] }, backendRefs }], { Accepted: "UnsupportedValue" }],
  ["attempts below 0", [{ retry: { attempts: -1 }, backendRefs }], { Accepted: "UnsupportedValue" }],
  ["a malformed pause", [{ retry: { backoff: "soon" }, backendRefs }], { Accepted: "UnsupportedValue" }],
  [
    "a session of an unknown type",
    [{ sessionPersistence: { type: "Address" }, backendRefs }],
    { Accepted: "UnsupportedValue" },
  ],
  [
    "a login that is not served",
    [{ filters: [{ type: "ExternalAuth" }], backendRefs }],
    { Accepted: "UnsupportedValue" },
  ],
];
test.each(ruleCases)("a rule with %s has the expected conditions", (_, rules, expected) => {
  const { PartiallyInvalid, ...others } = { PartiallyInvalid: undefined, ...expected };
  const [parent] = outcome(gateway({}), route({ rules })).route()!;
  expect(parent).toMatchObject(others);
  expect(parent!.PartiallyInvalid).toBe(PartiallyInvalid);
});

test.each([
  { type: "RequestRedirect", requestRedirect: { hostname: "b.example" } },
  { type: "CORS", cors: { allowOrigins: ["*"] } },
])("a backend with the filter $type is refused, because the filter may not be skipped", (filter) => {
  const [good, bad] = [backendRefs[0]!, { ...backendRefs[0]!, filters: [filter] }];
  const read = outcome(gateway({}), route({ rules: [{ backendRefs: [good, bad] }] }));
  expect(read.sentences).toEqual([
    `spec.rules[0].backendRefs[1].filters[0].type: ${filter.type} is served for rules alone; its share of the requests gets 500`,
  ]);
  const [location] = read.configuration.servers.get("ns/gw/http _")!.locations;
  expect(location!.backends.map(({ unusable }) => unusable !== undefined)).toEqual([false, true]);
  expect(read.route()).toMatchObject([{ Accepted: true, PartiallyInvalid: "UnsupportedValue" }]);
});

test("a mirror gets its share of copies, and one that is unusable gets none", () => {
  const mirror = (name: string, more: object) => ({
    type: "RequestMirror",
    requestMirror: { backendRef: { name, port: 80 }, ...more },
  });
  const filters = [mirror("web", { percent: 50 }), mirror("web", { fraction: { numerator: 1 } }), mirror("gone", {})];
  const { configuration, route: of } = outcome(gateway({}), route({ rules: [{ filters, backendRefs }] }));
  const [location] = configuration.servers.get("ns/gw/http _")!.locations;
  expect(location!.filters).toEqual({
    mirrors: [
      { upstream: "ns/web/80 for routes", share: 0.5 },
      { upstream: "ns/web/80 for routes", share: 0.01 },
    ],
  });
  expect(location!.backends[0]!.unusable).toBeUndefined();
  expect(of()).toMatchObject([{ Accepted: true, ResolvedRefs: "BackendNotFound" }]);
});

test.each<[string, object | undefined, true | string]>([
  ["http", undefined, true],
  ["https", { isSecure: true }, true],
  ["kubernetes.io/h2c", { isHttp2: true }, true],
  ["redis", undefined, "UnsupportedProtocol"],
])("copies for a port with the appProtocol %s are sent or refused accordingly", (appProtocol, way, resolved) => {
  const backendRef = { name: "other", port: 80 };
  const filters = [{ type: "RequestMirror", requestMirror: { backendRef } }];
  const service = { ...serviceIn("ns", "other"), spec: { ports: [{ port: 80, appProtocol }] } };
  const { configuration, route: of } = outcome(gateway({}), route({ rules: [{ filters, backendRefs }] }), service);
  const [location] = configuration.servers.get("ns/gw/http _")!.locations;
  const upstream = "ns/other/80 for routes";
  const mirror = { upstream, share: 1, ...(way === undefined ? {} : { way }) };
  expect(location!.filters?.mirrors ?? []).toEqual(resolved === true ? [mirror] : []);
  expect(of()).toMatchObject([{ Accepted: true, ResolvedRefs: resolved }]);
});

test("nginx makes as many retries as it can, after the statuses that it supports, and a message names the others", () => {
  const retries = (retry: object) => {
    const { configuration, sentences, route: of } = outcome(gateway({}), route({ rules: [{ retry, backendRefs }] }));
    expect(of()).toEqual([{ Accepted: true, ResolvedRefs: true }]);
    return { sentences, ...configuration.servers.get("ns/gw/http _")!.locations[0]!.filters?.retries };
  };
  expect(retries({})).toEqual({ sentences: [], attempts: 1, codes: [], backoff: 0 });
  expect(retries({ attempts: 0 })).toEqual({ sentences: [], attempts: 0, codes: [], backoff: 0 });
  expect(retries({ codes: [503, 500], attempts: 9, backoff: "1s500ms" })).toEqual({
    sentences: [],
    attempts: 9,
    codes: [500, 503],
    backoff: 1_500,
  });
  expect(retries({ attempts: 10, backoff: "1ms" })).toMatchObject({
    sentences: [
      "spec.rules[0].retry.attempts: nginx makes at most 9 retries for one request with a pause before each, and 10 are asked for; 9 are made",
    ],
    attempts: 9,
  });
  expect(retries({ attempts: 10 })).toMatchObject({ sentences: [], attempts: 10 });
  expect(retries({ attempts: 2_000_000 })).toMatchObject({
    sentences: [expect.stringContaining("100 are made")],
    attempts: 100,
  });
  expect(retries({ codes: [418, 500] })).toMatchObject({
    sentences: [
      "spec.rules[0].retry.codes: nginx can try a request again after 403, 404, 429, 500, 502, 503, 504, and not after 418; answers with 418 go to the client",
    ],
    codes: [500],
  });
});

test("the auth service of a rule gets requests as configured, and no request passes where it is unusable", () => {
  const location = (externalAuth: object, ...objects: KubernetesObject[]) => {
    const rules = [{ filters: [{ type: "ExternalAuth", externalAuth }], backendRefs }];
    const { configuration, sentences, route: of } = outcome(gateway({}), route({ rules }), ...objects);
    const [first] = configuration.servers.get("ns/gw/http _")!.locations;
    const { Accepted, ResolvedRefs } = of()![0]!;
    const open = first!.backends.filter(({ unusable }) => unusable === undefined).length;
    return {
      sentences,
      Accepted,
      ResolvedRefs,
      open,
      auth: first!.filters?.auth,
      has: [...configuration.upstreams.keys()],
    };
  };
  const asking = { protocol: "HTTP", backendRef: { name: "login", port: 80 } };
  const login = serviceIn("ns", "login");
  const http = { path: "/check/", allowedHeaders: ["X-B", "Host", "x-a"], allowedResponseHeaders: ["X-User"] };
  const good = location({ ...asking, http, forwardBody: { maxSize: 100 } }, login);
  expect(good).toMatchObject({ sentences: [], Accepted: true, ResolvedRefs: true, open: 1 });
  expect(good.has).toContain("ns/login/80 for routes");
  expect(good.auth).toEqual({
    upstream: "ns/login/80 for routes",
    path: "/check",
    requestHeaders: ["x-a", "x-b"],
    responseHeaders: ["x-user"],
    mostBody: 100,
  });
  expect(location(asking)).toMatchObject({ ResolvedRefs: "BackendNotFound", open: 0 });
  const away = { ...asking, backendRef: { name: "login", namespace: "other", port: 80 } };
  expect(location(away, serviceIn("other", "login"))).toMatchObject({ ResolvedRefs: "RefNotPermitted", open: 0 });
  const bad: readonly object[] = [
    { ...asking, protocol: "TCP" },
    { ...asking, protocol: undefined },
    { ...asking, protocol: "GRPC", grpc: { allowedHeaders: ["Content-Length"] } },
    { ...asking, http: { path: "//evil\nx" } },
    { ...asking, http: { path: "evil" } },
    { ...asking, http: { allowedHeaders: ["Transfer-Encoding"] } },
    { ...asking, http: { allowedResponseHeaders: ["content_length"] } },
    { ...asking, forwardBody: { maxSize: 70_000 } },
  ];
  for (const one of bad) {
    expect(location(one, login), JSON.stringify(one)).toMatchObject({ Accepted: "UnsupportedValue", open: 0 });
  }
  expect(location({ ...asking, protocol: "TCP" }, login).sentences).toEqual([
    'spec.rules[0].filters[0].externalAuth.protocol: "TCP" is not HTTP or GRPC; the requests of the rule get 500',
  ]);
  const overGrpc = { ...asking, protocol: "GRPC", grpc: { allowedHeaders: ["X-B", "Host", "x-a"] } };
  expect(location(overGrpc, login).auth).toMatchObject({ isGrpc: true, requestHeaders: ["x-a", "x-b"] });
  const over = (appProtocol: string, asked: object) => location(asked, serviceIn("ns", "login", { appProtocol }));
  expect(over("https", asking).auth).toMatchObject({ isSecure: true });
  expect(over("grpcs", overGrpc).auth).toMatchObject({ isSecure: true, isGrpc: true });
  expect(over("grpc", overGrpc).auth, "without TLS").not.toHaveProperty("isSecure");
  expect(over("kubernetes.io/h2c", asking)).toMatchObject({ ResolvedRefs: "UnsupportedProtocol", open: 0 });
  const ofBackend = [{ name: "web", port: 80, filters: [{ type: "ExternalAuth", externalAuth: asking }] }];
  const { configuration } = outcome(gateway({}), route({ rules: [{ backendRefs: ofBackend }] }), login);
  expect(configuration.servers.get("ns/gw/http _")!.locations[0]!.backends[0]!.unusable).toMatchObject({
    field: "spec.rules[0].backendRefs[0].filters[0].type",
  });
});

test("requests that an unknown filter would have guarded are answered with 500", () => {
  const rules = [
    { matches: [{ path: { value: "/admin" } }], filters: [{ type: "ExternalAuth" }], backendRefs },
    { backendRefs },
  ];
  const { configuration } = outcome(gateway({}), route({ rules }));
  const { locations, routes } = configuration.servers.get("ns/gw/http _")!;
  expect(routes.map(({ match, path }) => [match, path])).toEqual([
    ["exact", "/admin"],
    ["prefix", "/admin/"],
    ["prefix", "/"],
  ]);
  expect(locations.map(({ backends }) => backends[0]!.unusable?.kind)).toEqual(["value-unusable", undefined]);
});

test("a route that nginx refused has its last good form, without permissions that are gone", () => {
  const good = route({ rules: [{ backendRefs: [{ name: "web", namespace: "other", port: 80 }] }] });
  const bad = route({ rules: [{ matches: [{ path: { value: "/bad" } }], backendRefs }] });
  const quarantine = {
    ...emptyQuarantine,
    objects: new Map([["HTTPRoute ns/route", { version: versionOf(bad), why: "no" }]]),
  };
  const lastGood = { ...emptyLastGood, objects: Table.from([["HTTPRoute ns/route", good]]) };
  const granted = put(
    world,
    gateway({}),
    bad,
    serviceIn("other", "web"),
    grant({ namespace: "other", from: "HTTPRoute", to: "Service" }),
  );
  const revoked = withObjects(granted, [{ kind: "ReferenceGrant", key: "other/to-service", object: undefined }]);
  const translator = new Translator(options, fake);
  const unusable = [granted, revoked].map((snapshot) => {
    const { configuration, lastGood: kept, problems } = translator.turn({ snapshot, lastGood, quarantine });
    expect(kept.objects.get("HTTPRoute ns/route")).toBe(good);
    expect(problems.get("HTTPRoute ns/route")).toContainEqual(expect.objectContaining({ kind: "nginx-refused" }));
    return configuration.servers
      .get("ns/gw/http _")!
      .locations.map(({ path, backends }) => [path, backends[0]!.unusable?.kind]);
  });
  expect(unusable).toEqual([[["/", undefined]], [["/", "reference-forbidden"]]]);
  const { lastGood: kept } = translator.turn({ snapshot: revoked, lastGood, quarantine: emptyQuarantine });
  expect(kept.objects.size).toBe(0);
});

test("routes have their own hostnames, so that the longest one is tried first", () => {
  const { configuration } = outcome(
    gateway({ listeners: [listener({ hostname: "foo.a.example" })] }),
    route({ name: "wide", hostnames: ["*.example", "*.a.example"] }),
    route({ name: "exact", hostnames: ["foo.a.example", "bar.a.example"] }),
    route({ name: "any" }),
  );
  expect([...configuration.servers.keys()].sort()).toEqual([
    "_",
    "ns/gw/http *.a.example",
    "ns/gw/http *.example",
    "ns/gw/http _",
    "ns/gw/http foo.a.example",
  ]);
});

test("matches are in the order of the specification", () => {
  const path = (value: string, type = "PathPrefix") => ({ path: { type, value } });
  const header = (name: string) => ({ name, value: "1" });
  const matches = [
    path("/"),
    path("/a"),
    { ...path("/a"), headers: [header("x")] },
    { ...path("/a"), headers: [header("x"), header("y"), header("X")] },
    { ...path("/a"), method: "GET" },
    { ...path("/a"), queryParams: [header("q")] },
    path("/b.*", "RegularExpression"),
    path("/a", "Exact"),
    path("/long/"),
  ];
  const { configuration } = outcome(gateway({}), route({ rules: [{ matches, backendRefs }] }));
  const { routes } = configuration.servers.get("ns/gw/http _")!;
  const words = routes.map(({ match, path: text, conditions }) =>
    [match, text, conditions?.method, conditions?.headers.length, conditions?.query.length].join(" ").trim(),
  );
  expect(words).toEqual([
    "exact /a",
    "exact /long",
    "prefix /long/",
    "exact /a GET 0 0",
    "prefix /a/ GET 0 0",
    "exact /a  2 0",
    "prefix /a/  2 0",
    "exact /a  1 0",
    "prefix /a/  1 0",
    "exact /a  0 1",
    "prefix /a/  0 1",
    "exact /a",
    "prefix /a/",
    "pattern /b.*",
    "prefix /",
  ]);
});

test("a match that is never reached is reported once for each host of a listener", () => {
  const rules = [
    { matches: [{ path: { value: "/a" } }, { path: { value: "/b" } }], backendRefs },
    { matches: [{ path: { value: "/a/" } }, { path: { value: "/a" }, method: "GET" }], backendRefs },
  ];
  const { sentences } = outcome(
    gateway({}),
    route({ name: "old", age: 9 }),
    route({ name: "new", age: 1 }),
    route({ rules, hostnames: ["a.example"] }),
  );
  expect(sentences).toEqual([
    "spec.rules[0]: the older HTTPRoute ns/old has the same match for all hosts on listener ns/gw/http; this match takes no request",
    "spec.rules[1].matches[0]: spec.rules[0].matches[0] has the same match for host a.example on listener ns/gw/http; this match takes no request",
  ]);
});

test("adding a value to a header of Sluice's own has no effect, and a message says so", () => {
  const requestHeaderModifier = {
    add: [{ name: "X-Forwarded-For", value: "a" }],
    set: [{ name: "X-Real-IP", value: "b" }],
  };
  const rules = [{ filters: [{ type: "RequestHeaderModifier", requestHeaderModifier }], backendRefs }];
  expect(outcome(gateway({}), route({ rules })).sentences).toEqual([
    "spec.rules[0].filters[0].requestHeaderModifier.add[0].name: Sluice itself sets X-Forwarded-For, and a value beside its own has no effect; nothing is added; set replaces the header",
  ]);
});

test("a route whose match an older one has stays Accepted, with a message that names the older one until that is gone", () => {
  const translator = new Translator(options, fake);
  const [old, young] = [route({ name: "old", age: 9 }), route({ name: "young", age: 1 })];
  const accepted = (...routes: KubernetesObject[]) => {
    const { statuses } = translator.turn({ ...emptyInputs, snapshot: put(world, gateway({}), ...routes) });
    const status = statuses.get("HTTPRoute ns/young");
    const [condition] = status?.kind === "route" ? status.parents[0]!.conditions : [];
    return `${condition?.type} ${condition?.status}: ${condition?.message}`;
  };
  const attached = "Accepted True: the route is attached to listener http of Gateway ns/gw";
  expect(accepted(old, young)).toBe(
    `${attached}. spec.rules[0]: the older HTTPRoute ns/old has the same match for all hosts on listener ns/gw/http; this match takes no request`,
  );
  expect(accepted(young)).toBe(attached);
});

test("a prefix with escapes is replaced as nginx knows it, without them", () => {
  const path = { type: "ReplacePrefixMatch", replacePrefixMatch: "/new" };
  const matches = [{ path: { type: "PathPrefix", value: "/a%20b/" } }];
  const rewrite = { matches, filters: [{ type: "URLRewrite", urlRewrite: { path } }], backendRefs };
  const redirect = { matches, filters: [{ type: "RequestRedirect", requestRedirect: { path } }] };
  const filtersFor = (rule: object) =>
    outcome(gateway({}), route({ rules: [rule] })).configuration.servers.get("ns/gw/http _")?.locations[0]?.filters;
  expect(filtersFor(rewrite)?.rewrite?.path).toEqual({ type: "prefix", prefix: "/a b", path: "/new" });
  expect(filtersFor(redirect)?.redirect?.path).toEqual({ type: "prefix", prefix: "/a b", path: "/new" });
});

test.each([-1, 0, 65_536, 1e308])("a listener with port %d is not served, and others are", (port) => {
  const odd = listener({ name: "odd", port });
  const { gateway: of, configuration, sentences } = outcome(gateway({ listeners: [odd, listener({})] }), route({}));
  expect(sentences).toContain(`spec.listeners[0].port: ${port} is not a port number; the listener is not served`);
  expect([...configuration.listenerPorts.keys()]).toEqual(["ns/gw:80"]);
  expect(of().listeners).toMatchObject([{ Accepted: "UnsupportedValue" }, { Accepted: true }]);
});

test("labels without a Service are a doubt, and parameters of another controller do not stop a Gateway", () => {
  const parametersRef = { group: "gateway.envoyproxy.io", kind: "EnvoyProxy", name: "proxy" };
  const { problems, gateway: of } = outcome(
    gateway({ spec: { infrastructure: { annotations: { "example.com/a": "b" }, parametersRef } } }),
  );
  expect([...problems.values()].flat().map((one) => [severityOf(one), sentence(one)])).toEqual([
    [
      "error",
      "spec.infrastructure.parametersRef: names a gateway.envoyproxy.io EnvoyProxy, not a ConfigMap; it has no effect, and Gateways are served without it",
    ],
    [
      "warning",
      "spec.infrastructure: its labels and annotations have no effect, because the Gateway gets no Service of its own; a controller with --gateway-services makes one",
    ],
  ]);
  expect(of()).toMatchObject({ Accepted: "InvalidParameters" });
});
