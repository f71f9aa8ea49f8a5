import { afterEach, expect, test, vi } from "vitest";
import { FakeApi } from "../../../test/support/fake-api.ts";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import type { KubernetesObject } from "../../core/model/objects.ts";
import type { Table } from "../../core/model/table.ts";
import type { ClusterOptions } from "./cluster.ts";
import { openCluster } from "./cluster.ts";

const stops: AbortController[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop.abort();
});

const v1 = "gateway.networking.k8s.io/v1";
const beta = "gateway.networking.k8s.io/v1beta1";
const classes = { name: "gatewayclasses", kind: "GatewayClass" };
const gateways = { name: "gateways", kind: "Gateway" };
const routes = { name: "httproutes", kind: "HTTPRoute" };
const grants = { name: "referencegrants", kind: "ReferenceGrant" };
const all = [classes, gateways, routes, grants];

const object = (kind: string, name: string, content: object = {}, apiVersion = v1): KubernetesObject => ({
  apiVersion,
  kind,
  metadata: { namespace: "shop", name },
  ...content,
});
const gateway = (secret?: string) =>
  object("Gateway", "public", {
    spec: {
      listeners: [
        { name: "web", port: 443, protocol: "HTTPS", tls: { certificateRefs: secret ? [{ name: secret }] : [] } },
      ],
    },
  });

function open(api: FakeApi, options: Partial<ClusterOptions> = {}) {
  const stop = new AbortController();
  stops.push(stop);
  const clock = new FakeClock();
  const found: string[] = [];
  let announced = 0;
  const cluster = openCluster(
    api,
    {
      watchNamespace: undefined,
      watchNamespaceSelector: undefined,
      named: { settings: undefined, configMaps: [], secrets: [], services: [] },
      annotationsPrefix: "nginx.ingress.kubernetes.io",
      clock,
      random: () => 0.5,
      report: () => {},
      kindsFound: ({ served, outdated }) =>
        found.push([...served.map(({ kind }) => kind), ...outdated.map((kind) => `(${kind})`)].join()),
      ...options,
    },
    stop.signal,
  );
  cluster.onChange(() => {
    announced += 1;
  });
  return { cluster, clock, found, announced: () => announced };
}

const keys = (table: Table<unknown>) => [...table.keys()].sort();
const soon = { timeout: 30_000, interval: 5 };

test("without the kinds of the Gateway API Sluice only asks whether they are there", async () => {
  const api = new FakeApi();
  const { cluster, found } = open(api);
  await cluster.synced;
  expect(found).toEqual([""]);
  expect(api.asked).not.toContain("Gateway");
  expect(api.asked).not.toContain("Namespace");
});

test("kinds that are there at the start arrive with all other objects, and with the Secrets of listeners", async () => {
  const api = new FakeApi();
  api.kinds.set(v1, all);
  api.put(gateway("tls"), object("HTTPRoute", "web"), object("Secret", "tls", { data: { a: "b" } }, "v1"));
  api.put(object("Secret", "other", { data: { a: "b" } }, "v1"));
  api.put({ apiVersion: "v1", kind: "Namespace", metadata: { name: "shop", labels: { team: "a" } } });
  const { cluster, found } = open(api);
  await cluster.synced;
  const { gateways, httpRoutes, secrets, namespaces } = cluster.snapshot();
  expect([gateways, httpRoutes, secrets].map(keys)).toEqual([["shop/public"], ["shop/web"], ["shop/tls"]]);
  expect(namespaces.get("shop")?.metadata.labels).toEqual({ team: "a" });
  expect(found).toEqual(["GatewayClass,Gateway,HTTPRoute,ReferenceGrant"]);
});

test("kinds that are installed later arrive together, and removed kinds leave an empty table", async () => {
  const api = new FakeApi();
  const { cluster, clock, found } = open(api);
  await cluster.synced;
  api.put(gateway(), object("HTTPRoute", "web"), object("ReferenceGrant", "grant"));
  api.refused.set("ReferenceGrant", 500);
  api.kinds.set(v1, all);
  await clock.advance(31_000);
  await vi.waitFor(() => expect(found).toHaveLength(2), soon);
  await vi.waitFor(() => expect(api.asked).toContain("HTTPRoute"), soon);
  expect(keys(cluster.snapshot().httpRoutes)).toEqual([]);
  api.refused.clear();
  await clock.advance(10_000);
  await vi.waitFor(() => expect(keys(cluster.snapshot().httpRoutes)).toEqual(["shop/web"]), soon);
  expect(keys(cluster.snapshot().referenceGrants)).toEqual(["shop/grant"]);

  api.kinds.set(v1, [classes, gateways, grants]);
  await clock.advance(40_000);
  await vi.waitFor(() => expect(keys(cluster.snapshot().httpRoutes)).toEqual([]), soon);
  expect(keys(cluster.snapshot().gateways)).toEqual(["shop/public"]);
  expect(found.at(-1)).toBe("GatewayClass,Gateway,ReferenceGrant");
});

test("an API server that lacks the definitions for a moment removes nothing", async () => {
  const api = new FakeApi();
  api.kinds.set(v1, all);
  api.put(gateway());
  const { cluster, clock, found } = open(api);
  await cluster.synced;
  const looks = vi.spyOn(api, "kindsOf").mockImplementationOnce(async () => ({ ok: true, value: [] }));
  await clock.advance(31_000);
  await vi.waitFor(() => expect(looks).toHaveBeenCalled(), soon);
  await clock.advance(60_000);
  expect(keys(cluster.snapshot().gateways)).toEqual(["shop/public"]);
  expect(found).toHaveLength(1);
});

test("ReferenceGrants of v1beta1 count until those of v1 are there, without a gap", async () => {
  const api = new FakeApi();
  api.kinds.set(v1, [classes, gateways, routes]);
  api.kinds.set(beta, [gateways, routes, grants]);
  api.put(object("ReferenceGrant", "grant"));
  const { cluster, clock, found } = open(api);
  await cluster.synced;
  const version = () => cluster.snapshot().referenceGrants.get("shop/grant")?.apiVersion;
  expect(version()).toBe(beta);
  const seen = new Set<string | undefined>();
  cluster.onChange(() => seen.add(version()));
  api.kinds.set(v1, all);
  await clock.advance(31_000);
  await vi.waitFor(() => expect(version()).toBe(v1), soon);
  expect(seen).toEqual(new Set([v1]));
  expect(found).toHaveLength(2);
});

test("kinds whose version is too old are reported and not watched", async () => {
  const api = new FakeApi();
  api.kinds.set(beta, [classes, gateways, routes, grants]);
  const { cluster, found } = open(api);
  await cluster.synced;
  expect(found).toEqual(["ReferenceGrant,(GatewayClass),(Gateway),(HTTPRoute)"]);
});

test("kinds that older definitions have before v1 are watched in their newest version, until v1 is there", async () => {
  const api = new FakeApi();
  const ofGroup = (version: string) => `gateway.networking.k8s.io/${version}`;
  const tls = { name: "tlsroutes", kind: "TLSRoute" };
  const tcp = { name: "tcproutes", kind: "TCPRoute" };
  const policies = { name: "backendtlspolicies", kind: "BackendTLSPolicy" };
  api.kinds.set(v1, all);
  api.kinds.set(ofGroup("v1alpha3"), [tls, policies]);
  api.kinds.set(ofGroup("v1alpha2"), [tls, tcp]);
  api.put(object("TLSRoute", "a"), object("TCPRoute", "b"), object("BackendTLSPolicy", "c"));
  const { cluster, clock, found } = open(api);
  await cluster.synced;
  const versions = () => {
    const { tlsRoutes, tcpRoutes, backendTLSPolicies } = cluster.snapshot();
    return [tlsRoutes.get("shop/a"), tcpRoutes.get("shop/b"), backendTLSPolicies.get("shop/c")].map((one) =>
      one?.apiVersion.replace("gateway.networking.k8s.io/", ""),
    );
  };
  expect(versions()).toEqual(["v1alpha3", "v1alpha2", "v1alpha3"]);
  expect(found).toEqual(["GatewayClass,Gateway,HTTPRoute,ReferenceGrant,TLSRoute,TCPRoute,BackendTLSPolicy"]);
  api.kinds.set(v1, [...all, tls, tcp, policies]);
  await clock.advance(31_000);
  await vi.waitFor(() => expect(versions()).toEqual(["v1", "v1", "v1"]), soon);
});

test("a kind whose only version has other fields than v1 is reported", async () => {
  const api = new FakeApi();
  api.kinds.set(v1, all);
  api.kinds.set("gateway.networking.k8s.io/v1alpha2", [{ name: "backendtlspolicies", kind: "BackendTLSPolicy" }]);
  const { cluster, found } = open(api);
  await cluster.synced;
  expect(found).toEqual(["GatewayClass,Gateway,HTTPRoute,ReferenceGrant,(BackendTLSPolicy)"]);
});

test("the versions of the definitions are those of the bundle, also after an upgrade of it", async () => {
  const api = new FakeApi();
  api.kinds.set(v1, [gateways, routes]);
  const definition = (plural: string, version?: string): KubernetesObject => {
    const annotations = version === undefined ? {} : { "gateway.networking.k8s.io/bundle-version": version };
    const metadata = { name: `${plural}.gateway.networking.k8s.io`, annotations };
    return { apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition", metadata };
  };
  api.put(definition("gateways", "v1.6.3"), definition("httproutes"));
  const { cluster, clock } = open(api);
  await cluster.synced;
  const versions = () => cluster.snapshot().definitionVersions;
  const names = ["gateways", "httproutes"].map((plural) => `${plural}.gateway.networking.k8s.io`);
  expect(versions()).toEqual(
    new Map([
      [names[0], "v1.6.3"],
      [names[1], ""],
    ]),
  );
  api.put(definition("httproutes", "v1.7.0"));
  await clock.advance(31_000);
  await vi.waitFor(
    () =>
      expect(versions()).toEqual(
        new Map([
          [names[0], "v1.6.3"],
          [names[1], "v1.7.0"],
        ]),
      ),
    soon,
  );
  api.refused.set("CustomResourceDefinition", 403);
  await clock.advance(31_000);
  await vi.waitFor(() => expect(versions()).toBe("unreadable"), soon);
  api.kinds.clear();
  await clock.advance(40_000);
  await vi.waitFor(() => expect(versions()).toBeUndefined(), soon);
});

test("a kind that may not be listed is left out, and all others are served", async () => {
  const api = new FakeApi();
  api.kinds.set(v1, all);
  for (const { kind } of all) api.refused.set(kind, 403);
  api.put({ apiVersion: "networking.k8s.io/v1", kind: "Ingress", metadata: { namespace: "shop", name: "web" } });
  const { cluster, clock } = open(api);
  await clock.advance(3_000);
  await cluster.synced;
  expect(keys(cluster.snapshot().ingresses)).toEqual(["shop/web"]);
  const asked = api.asked.filter((kind) => kind === "Gateway").length;
  await clock.advance(300_000);
  expect(api.asked.filter((kind) => kind === "Gateway").length - asked).toBeLessThan(12);
});

test("addresses in the status of a Gateway cause no turn, and other wanted addresses do", async () => {
  const api = new FakeApi();
  api.kinds.set(v1, all);
  api.put(gateway());
  const { cluster, announced } = open(api, { wantedAddresses: () => [{ type: "IPAddress", value: "192.0.2.1" }] });
  await cluster.synced;
  const before = announced();
  const withAddress = (value: string) => ({ ...gateway(), status: { addresses: [{ type: "IPAddress", value }] } });
  const address = () => cluster.snapshot().gateways.get("shop/public")?.status?.addresses?.[0]?.value;
  api.put(withAddress("192.0.2.1"));
  await vi.waitFor(() => expect(address()).toBe("192.0.2.1"), soon);
  expect(announced()).toBe(before);
  api.put(withAddress("192.0.2.2"));
  await vi.waitFor(() => expect(announced()).toBe(before + 1), soon);
  expect(address()).toBe("192.0.2.2");
});
