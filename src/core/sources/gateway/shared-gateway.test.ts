/** The Gateway that has the Service, addresses and ports of Ingresses. */
import { expect, test } from "vitest";
import {
  authorities,
  gateway,
  gatewayClass,
  listener,
  listenerSet,
  route,
  serviceIn,
} from "../../../../test/support/gateways.ts";
import { fake, put } from "../../../../test/support/sketch.ts";
import { fakeCertificate } from "../../certificates/fake.ts";
import type { GatewayListener } from "../../model/gateway/objects.ts";
import { sentence } from "../../model/problem.ts";
import { emptySnapshot } from "../../model/snapshot.ts";
import { defaultOptions } from "../../table/options.ts";
import { Translator, translate } from "../../table/translator.ts";
import { emptyInputs } from "../../table/turn.ts";

const { chain } = await fakeCertificate(new Date("2026-01-01"));
const services = { ports: [20_000, 20_001], prefixes: [], record: "sluice/ports" };
const of = { ...defaultOptions.gateway, shared: "ns/gw", httpPort: 8080, httpsPort: 8443, services };

function outcome(more: Partial<typeof of>, ...objects: Parameters<typeof put>[1][]) {
  const snapshot = put(emptySnapshot, gatewayClass(), serviceIn("ns", "web"), ...objects);
  const { configuration, statuses, problems } = translate(
    { ...emptyInputs, snapshot },
    { ...defaultOptions, gateway: { ...of, ...more } },
    fake,
  );
  const status = statuses.get("Gateway ns/gw");
  if (status?.kind !== "Gateway") throw new Error("no status");
  const words = ({ conditions }: Pick<typeof status, "conditions">) =>
    conditions.map(({ type, status: holds, reason }) => `${type} ${holds} ${reason}`);
  return {
    status,
    conditions: words(status),
    listeners: status.listeners.map(words),
    ports: [...configuration.listenerPorts.values()].map(({ id, address, listenPort, port, usualPorts }) => {
      return { id, address, listenPort, port, usualPorts };
    }),
    hosts: [...configuration.servers.keys()],
    sentences: [...problems.values()].flat().map(sentence),
  };
}

const tls = (more: Partial<GatewayListener> = {}) =>
  listener({ name: "tls", port: 443, protocol: "HTTPS", tls: { certificateRefs: [{ name: "gone" }] }, ...more });

test("the shared Gateway has the ports and addresses of Ingresses and no Service, and clients see 80 and 443", () => {
  const found = outcome({}, gateway({}), gateway({ name: "own" }), route({ hostnames: ["a.example"] }));
  expect(found.sentences).toEqual([]);
  expect(found.ports.filter(({ id }) => id.startsWith("ns/gw"))).toEqual([
    { id: "ns/gw:80", address: undefined, listenPort: 8080, port: 80, usualPorts: undefined },
  ]);
  expect(found.conditions).toEqual([
    "Accepted True Accepted",
    "Programmed True Programmed",
    "ResolvedRefs True ResolvedRefs",
  ]);
  expect(found.status).toMatchObject({ hasIngressAddresses: true, addresses: [] });
  expect(found.status.service).toBeUndefined();
  expect(found.hosts).toContain("ns/gw/http a.example");
  const pooled = outcome({ addresses: ["192.0.2.10"] }, gateway({}), gateway({ name: "young", age: 0 }));
  expect(pooled.status.addresses, "the pool is for the others").toEqual([]);
});

test("the shared Gateway works without Services and a pool, and under serve clients see the ports of nginx", () => {
  const { services: _, ...without } = of;
  const ports = (more: object) =>
    translate(
      { ...emptyInputs, snapshot: put(emptySnapshot, gatewayClass(), gateway({})) },
      { ...defaultOptions, gateway: { ...without, ...more } },
      fake,
    ).configuration.listenerPorts.get("ns/gw:80");
  expect(ports({})).toMatchObject({ listenPort: 8080, port: 80 });
  expect(ports({ sharesPorts: true, addresses: ["192.0.2.10"] })).toMatchObject({
    listenPort: 8080,
    port: 8080,
    usualPorts: { http: 8080, https: 8443 },
  });
});

test.each<[string, GatewayListener, string]>([
  ["another port", listener({ port: 8080 }), "the shared Gateway has the ports of Ingresses, which are 80 and 443"],
  ["another protocol", tls({ port: 80 }), "Ingresses have port 80 with protocol HTTP"],
  ["a stream", listener({ port: 443, protocol: "TCP" }), "Ingresses have port 443 with protocol HTTPS"],
])("a listener with %s is PortUnavailable", (_, one, why) => {
  const found = outcome({}, gateway({ listeners: [one] }));
  expect(found.listeners[0]?.[0]).toBe("Accepted False PortUnavailable");
  expect(found.sentences).toContain(`spec.listeners[0].port: ${why}; the listener is not served`);
});

test("the shared Gateway refuses client certificates and addresses of its own, and serves its ListenerSets", () => {
  const frontend = { default: { validation: { caCertificateRefs: [{ group: "", kind: "ConfigMap", name: "ca" }] } } };
  const ca = authorities("ca", chain);
  const guarded = outcome({}, ca, gateway({ listeners: [tls(), listener({})], spec: { tls: { frontend } } }));
  expect(guarded.sentences).toContain(
    "spec.listeners[0].port: Ingresses have port 443, where no client certificates are asked for; the listener is not served",
  );
  const asking = outcome({}, gateway({ spec: { addresses: [{ value: "192.0.2.10" }] } }));
  expect(asking.conditions).toContain("Programmed False AddressNotUsable");
  expect(asking.sentences).toEqual([
    "spec.addresses[0]: the shared Gateway has the addresses of Ingresses; nginx listens on those",
  ]);
  const open = { allowedListeners: { namespaces: { from: "Same" as const } } };
  const found = outcome(
    {},
    gateway({ spec: open }),
    listenerSet({}),
    route({ parent: { kind: "ListenerSet", name: "set" } }),
  );
  expect(found.hosts).toContain("ns/gw/ns/set/http _");
});

test("a flag that names no Gateway of Sluice is a Problem until there is one", () => {
  const translator = new Translator({ ...defaultOptions, gateway: of }, fake);
  const sentences = (...objects: Parameters<typeof put>[1][]) => {
    const snapshot = put(emptySnapshot, gatewayClass(), ...objects);
    return [...translator.turn({ ...emptyInputs, snapshot }).problems.values()].flat().map(sentence);
  };
  const missing = "--shared-gateway: Gateway ns/gw not found; no Gateway has the ports of Ingresses";
  expect(sentences()).toEqual([missing]);
  expect(sentences(gateway({ name: "other" }))).toEqual([missing]);
  expect(sentences(gateway({ spec: { gatewayClassName: "theirs" } }))).toEqual([
    "--shared-gateway: no GatewayClass theirs is served here; no Gateway has the ports of Ingresses",
  ]);
  expect(sentences(gateway({}))).toEqual([]);
  expect(sentences()).toEqual([missing]);
});
