/** Client certificates that Gateways request, and the certificate that they present to backends. */
import { expect, test } from "vitest";
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
} from "../../../../../test/support/gateways.ts";
import { fake, put } from "../../../../../test/support/sketch.ts";
import { fakeCertificate } from "../../../certificates/fake.ts";
import type { GatewayTLS } from "../../../model/gateway/objects.ts";
import type { KubernetesObject, Secret } from "../../../model/objects.ts";
import { sentence } from "../../../model/problem.ts";
import { emptySnapshot } from "../../../model/snapshot.ts";
import { defaultOptions } from "../../../table/options.ts";
import { translate } from "../../../table/translator.ts";
import { emptyInputs } from "../../../table/turn.ts";

const { chain, key } = await fakeCertificate(new Date("2026-01-01"));
const pool = { ...defaultOptions.gateway, addresses: ["192.0.2.10", "192.0.2.11"] };
const base64 = (text: string) => Buffer.from(text).toString("base64");
const pair = (name: string, home = "ns"): Secret => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name, namespace: home },
  data: { "tls.crt": base64(chain), "tls.key": base64(key.reveal()) },
});
const world = put(
  emptySnapshot,
  gatewayClass(),
  namespace("ns"),
  serviceIn("ns", "web"),
  authorities("ca", chain),
  pair("tls"),
);
const tls = { certificateRefs: [{ name: "tls" }] };
const https = listener({ name: "https", port: 443, protocol: "HTTPS", tls });
const second = listener({ name: "second", port: 8443, protocol: "HTTPS", tls });
const http = listener({});
const asking = (name: string, more: object = {}) => ({
  validation: { caCertificateRefs: [{ group: "", kind: "ConfigMap", name, ...more }] },
});

function outcome(spec: GatewayTLS, objects: readonly KubernetesObject[] = [], of: object = pool) {
  const own = gateway({ listeners: [http, https, second], spec: { tls: spec } });
  const options = { ...defaultOptions, gateway: { ...defaultOptions.gateway, ...of } };
  const inputs = { ...emptyInputs, snapshot: put(world, own, ...objects) };
  const { configuration, statuses, problems } = translate(inputs, options, fake);
  const status = statuses.get("Gateway ns/gw");
  if (status?.kind !== "Gateway") throw new Error("no status");
  const short = (conditions: readonly { type: string; status: string; reason: string }[]) =>
    Object.fromEntries(conditions.map(({ type, status: is, reason }) => [type, is === "True" ? true : reason]));
  return {
    gateway: short(status.conditions),
    listeners: Object.fromEntries(status.listeners.map((one) => [one.name, short(one.conditions)])),
    guards: Object.fromEntries(
      [...configuration.listenerPorts.values()].map(({ port, clients }) => [port, clients?.lenient]),
    ),
    servers: configuration.servers,
    sentences: [...problems.values()].flat().map(sentence),
  };
}

test("the default guards HTTPS listeners, an entry for a port replaces it, and plain HTTP is not affected", () => {
  const all = outcome({ frontend: { default: asking("ca") } });
  expect(all.guards).toEqual({ 80: undefined, 443: false, 8443: false });
  expect(all.sentences).toEqual([]);
  const perPort = [{ port: 8443, tls: {} }];
  expect(outcome({ frontend: { default: asking("ca"), perPort } }).guards).toEqual({
    80: undefined,
    443: false,
    8443: undefined,
  });
  const { validation } = asking("ca");
  const lenient = { validation: { ...validation, mode: "AllowInsecureFallback" } };
  const some = outcome({ frontend: { default: {}, perPort: [{ port: 8443, tls: lenient }] } });
  expect(some.guards).toEqual({ 80: undefined, 443: undefined, 8443: true });
  expect(some.gateway).toMatchObject({ Accepted: true, InsecureFrontendValidationMode: true });
  expect(all.gateway).not.toHaveProperty("InsecureFrontendValidationMode");
  const nowhere = outcome({ frontend: { default: {}, perPort: [{ port: 80, tls: asking("ca") }] } });
  expect(nowhere.sentences).toEqual([
    "spec.tls.frontend.perPort[0]: no listener of protocol HTTPS has port 80; it asks no client",
  ]);
});

const closed: readonly [string, object, object][] = [
  ["a ConfigMap that does not exist", asking("gone"), { ResolvedRefs: "InvalidCACertificateRef" }],
  ["a ConfigMap without certificates", asking("empty"), { ResolvedRefs: "InvalidCACertificateRef" }],
  ["a reference of another kind", asking("ca", { kind: "Secret" }), { ResolvedRefs: "InvalidCACertificateKind" }],
  ["a ConfigMap that is not permitted", asking("ca", { namespace: "other" }), { ResolvedRefs: "RefNotPermitted" }],
  ["no reference", { validation: {} }, {}],
];
test.each(closed)("%s closes the port, and no other", (_, asked, expected) => {
  const objects = [
    authorities("empty", ""),
    { ...authorities("ca", chain), metadata: { name: "ca", namespace: "other" } },
  ];
  const frontend = { default: {}, perPort: [{ port: 8443, tls: asked }] };
  const { listeners, guards } = outcome({ frontend }, objects);
  expect(listeners.second).toMatchObject({ Accepted: "NoValidCACertificate", Programmed: "Invalid", ...expected });
  expect(listeners.https).toMatchObject({ Accepted: true, ResolvedRefs: true, Programmed: true });
  expect(guards).toEqual({ 80: undefined, 443: undefined });
});

test("an unknown mode closes the port, and a ReferenceGrant opens it", () => {
  const { validation } = asking("ca");
  const strange = outcome({ frontend: { default: { validation: { ...validation, mode: "AllowAny" } } } });
  expect(strange.listeners.https).toMatchObject({ Accepted: "UnsupportedValue" });
  expect(strange.guards).toEqual({ 80: undefined });
  const theirs = { ...authorities("ca", chain), metadata: { name: "ca", namespace: "other" } };
  const permit = grant({ namespace: "other", from: "Gateway", to: "ConfigMap" });
  const permitted = outcome({ frontend: { default: asking("ca", { namespace: "other" }) } }, [theirs, permit]);
  expect(permitted.guards).toEqual({ 80: undefined, 443: false, 8443: false });
});

test("a port that Ingresses have too cannot be guarded, and so it is not served", () => {
  const shared = outcome({ frontend: { default: asking("ca") } }, [], { addresses: [], sharesPorts: true });
  expect(shared.listeners.https).toMatchObject({ Accepted: "PortUnavailable" });
  expect(shared.guards).toEqual({ 80: undefined, 8443: false });
  const young = gateway({ name: "young", age: 1, listeners: [{ ...second, hostname: "young.example" }] });
  const two = outcome({ frontend: { default: asking("ca") } }, [young], { addresses: [], sharesPorts: true });
  expect(two.sentences.join("\n")).toContain(
    "the older Gateway ns/gw has port 8443 and other client certificates there",
  );
});

test("a Gateway presents its certificate to backends with a policy alone, each Gateway its own", () => {
  const refs = {
    backendRefs: [
      { name: "web", port: 80 },
      { name: "plain", port: 80 },
    ],
  };
  const objects = [
    serviceIn("ns", "plain", { appProtocol: "https" }),
    backendTLSPolicy({}),
    gateway({ name: "other" }),
    route({ rules: [refs] }),
    route({ name: "elsewhere", parent: { name: "other" }, rules: [refs] }),
    pair("mine"),
  ];
  const found = outcome({ backend: { clientCertificateRef: { name: "mine" } } }, objects);
  expect(found.sentences).toEqual([]);
  const [web, plain] = found.servers.get("ns/gw/http _")?.locations[0]?.backends ?? [];
  expect(web?.tls?.identity?.chain).toBe(chain);
  expect(plain).not.toHaveProperty("tls");
  const theirs = found.servers.get("ns/other/http _")?.locations[0]?.backends[0];
  expect(theirs?.tls).not.toHaveProperty("identity");
  expect(theirs?.tls?.id, "so they share no connection").not.toBe(web?.tls?.id);
});

const unshown: readonly [string, object, string][] = [
  ["a Secret that does not exist", { name: "gone" }, "InvalidClientCertificateRef"],
  ["a reference of another kind", { kind: "ConfigMap", name: "ca" }, "InvalidClientCertificateRef"],
  ["a Secret that is not permitted", { name: "tls", namespace: "other" }, "RefNotPermitted"],
];
test.each(unshown)("%s causes a condition of the Gateway, which is served", (_, reference, reason) => {
  const found = outcome({ backend: { clientCertificateRef: reference as { name: string } } }, [pair("tls", "other")]);
  expect(found.gateway).toMatchObject({ Accepted: true, ResolvedRefs: reason, Programmed: true });
  expect(found.sentences.join()).toContain("backends are not shown a client certificate");
});

/** Returns the ports of nginx that load authorities for clients, and the Problems. */
function loading(...objects: readonly KubernetesObject[]) {
  const options = { ...defaultOptions, gateway: { ...defaultOptions.gateway, ...pool } };
  const big = authorities("big", `${chain}${"#".repeat(500_000)}`);
  const { configuration, problems } = translate(
    { ...emptyInputs, snapshot: put(world, big, ...objects) },
    options,
    fake,
  );
  return {
    loads: [...configuration.listenerPorts.values()].filter(({ clients }) => clients !== undefined).length,
    ports: configuration.listenerPorts.size,
    problems: [...problems.values()].flat().map(sentence).join("\n"),
  };
}

const onPorts = (count: number, from: number) =>
  Array.from({ length: count }, (_, at) =>
    listener({ name: `p${from + at}`, port: from + at, protocol: "HTTPS", tls }),
  );
const askingAll = { tls: { frontend: { default: asking("big") } } };
const tooMuch =
  "nginx would load more authorities and key pairs than authorities-per-namespace permits (4m); the listeners that ask for client certificates are not served";

test("a Gateway loads authorities of 4 MB for its ports, or serves none of those that ask for certificates", () => {
  const some = loading(gateway({ listeners: onPorts(8, 8000), spec: askingAll }));
  expect(some).toMatchObject({ loads: 8, problems: "" });
  const many = loading(gateway({ listeners: [http, ...onPorts(9, 8000)], spec: askingAll }));
  expect([many.loads, many.ports]).toEqual([0, 1]);
  expect(many.problems).toContain(tooMuch);
});

test("ListenerSets answer for the authorities that a Gateway loads on their ports, and the Gateway stays", () => {
  const open = { allowedListeners: { namespaces: { from: "All" } } };
  const own = gateway({ listeners: onPorts(4, 8000), spec: { ...askingAll, ...open } });
  const pairs = ["other"].flatMap((home) => [namespace(home), pair("tls", home)]);
  const sets = Array.from({ length: 2 }, (_, at) =>
    listenerSet({ name: `set${at}`, namespace: "other", age: 2 - at, listeners: onPorts(8, 9000 + 8 * at) }),
  );
  const found = loading(own, ...pairs, ...sets);
  expect(found.loads, "four of the Gateway, and eight of the older set").toBe(12);
  expect(found.problems).toContain(tooMuch);
});

test("each Gateway with a certificate for backends counts, because nginx has each policy once more for it", () => {
  const many = Array.from({ length: 9 }, (_, at) =>
    gateway({
      ...{ name: `gw${at}`, age: 9 - at, listeners: [listener({ port: 7000 + at })] },
      spec: { tls: { backend: { clientCertificateRef: { name: "tls" } } } },
    }),
  );
  const refused = (count: number) =>
    loading(...many.slice(0, count))
      .problems.split("\n")
      .filter((one) => one.startsWith("spec.tls.backend"));
  expect(refused(8)).toEqual([]);
  expect(refused(9)).toEqual([
    expect.stringMatching(/authorities-per-namespace permits \(4m\); backends are not shown a client certificate$/),
  ]);
});
