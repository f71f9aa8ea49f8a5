import { setImmediate as turn } from "node:timers/promises";
import { afterEach, expect, test, vi } from "vitest";
import { FakeApi } from "../../../test/support/fake-api.ts";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import { systemClock } from "../../base/timing/clock.ts";
import type { KubernetesObject } from "../../core/model/objects.ts";
import type { Table } from "../../core/model/table.ts";
import type { ClusterOptions } from "./cluster.ts";
import { openCluster } from "./cluster.ts";

const stops: AbortController[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop.abort();
});

const nothingNamed = { settings: undefined, configMaps: [], secrets: [], services: [] };

/** Opens a cluster that reads from `api`, and keeps its reports. */
function open(api: FakeApi, options: Partial<ClusterOptions> = {}) {
  const stop = new AbortController();
  stops.push(stop);
  const denied: string[] = [];
  let announced = 0;
  const cluster = openCluster(
    api,
    {
      watchNamespace: undefined,
      watchNamespaceSelector: undefined,
      named: nothingNamed,
      annotationsPrefix: "nginx.ingress.kubernetes.io",
      clock: systemClock,
      random: () => 0.5,
      report: ({ of }, event) => event.kind === "failed" && event.denied && denied.push(of.kind),
      ...options,
    },
    stop.signal,
  );
  cluster.onChange(() => {
    announced += 1;
  });
  return { cluster, denied, stop, announced: () => announced };
}

async function opened(api: FakeApi, options: Partial<ClusterOptions> = {}) {
  const all = open(api, options);
  await all.cluster.synced;
  return all;
}

const keys = (table: Table<unknown> | undefined) => [...(table?.keys() ?? [])].sort();
const soon = { timeout: 30_000, interval: 5 };

const object = (kind: string, namespace: string, name: string, content: object = {}): KubernetesObject => ({
  apiVersion: "v1",
  kind,
  metadata: { namespace, name },
  ...content,
});
const secret = (name: string, text = "x", namespace = "shop") => object("Secret", namespace, name, { data: { text } });
const ingress = (name: string, secretName?: string, annotations: Record<string, string> = {}, namespace = "shop") => ({
  apiVersion: "networking.k8s.io/v1",
  kind: "Ingress",
  metadata: { namespace, name, annotations },
  spec: secretName === undefined ? {} : { tls: [{ secretName }] },
});
const copy = "kubectl.kubernetes.io/last-applied-configuration";

test("the data of a Secret is kept only where an Ingress, an annotation or a flag names it", async () => {
  const api = new FakeApi();
  api.put(ingress("web", "tls", { "nginx.ingress.kubernetes.io/auth-secret": "safe/users" }));
  api.put(ingress("other", undefined, { "example.com/secret": "stranger" }));
  api.put(...["tls", "stranger", "flag", "lonely"].map((name) => secret(name)), secret("users", "x", "safe"));
  const { cluster } = await opened(api, { named: { ...nothingNamed, secrets: ["shop/flag"] } });
  expect(keys(cluster.snapshot().secrets)).toEqual(["safe/users", "shop/flag", "shop/tls"]);
  expect(api.asked.filter((asked) => asked.includes("metadata.name"))).toEqual([]);
});

test("kubectl's copy of an object in its annotations is dropped", async () => {
  const api = new FakeApi();
  api.put(ingress("web", undefined, { [copy]: "much", kept: "yes" }));
  const { cluster } = await opened(api);
  expect(cluster.snapshot().ingresses.get("shop/web")?.metadata.annotations).toEqual({ kept: "yes" });
});

test("an Ingress appears together with the Secret that it names, never before it", async () => {
  const api = new FakeApi();
  api.put(secret("tls"));
  const { cluster } = await opened(api);
  const gate = Promise.withResolvers<void>();
  api.gate = gate.promise;
  api.put(ingress("web", "tls"), ingress("plain"));
  await vi.waitFor(() => expect(keys(cluster.snapshot().ingresses)).toEqual(["shop/plain"]), soon);
  gate.resolve();
  await vi.waitFor(() => expect(keys(cluster.snapshot().ingresses)).toEqual(["shop/plain", "shop/web"]), soon);
  expect(cluster.snapshot().secrets.get("shop/tls")).toMatchObject({ data: { text: "x" } });
});

test("an Ingress that names another Secret keeps its older version until the new Secret has arrived", async () => {
  const api = new FakeApi();
  api.put(ingress("web", "old"), secret("old"), secret("new"));
  const { cluster } = await opened(api);
  const gate = Promise.withResolvers<void>();
  api.gate = gate.promise;
  api.put(ingress("web", "new"), ingress("plain"));
  await vi.waitFor(() => expect(keys(cluster.snapshot().ingresses)).toContain("shop/plain"), soon);
  expect(keys(cluster.snapshot().secrets)).toEqual(["shop/old"]);
  expect(cluster.snapshot().ingresses.get("shop/web")?.spec?.tls).toEqual([{ secretName: "old" }]);
  gate.resolve();
  await vi.waitFor(() => expect(keys(cluster.snapshot().secrets)).toEqual(["shop/new"]), soon);
  expect(cluster.snapshot().ingresses.get("shop/web")?.spec?.tls).toEqual([{ secretName: "new" }]);
});

test("a Secret that no object refers to leaves memory, and returns when an Ingress names it again", async () => {
  const api = new FakeApi();
  api.put(ingress("web", "tls"), secret("tls"));
  const { cluster } = await opened(api);
  api.remove(ingress("web"));
  await vi.waitFor(() => expect(keys(cluster.snapshot().secrets)).toEqual([]), soon);
  api.put(ingress("again", "tls"));
  await vi.waitFor(() => expect(keys(cluster.snapshot().secrets)).toEqual(["shop/tls"]), soon);
  expect(cluster.snapshot().secrets.get("shop/tls")?.data).toEqual({ text: "x" });
});

test("ConfigMaps and Secrets that the settings name are watched", async () => {
  const api = new FakeApi();
  const settings = (data: object) => object("ConfigMap", "own", "settings", { data });
  api.put(
    settings({ "add-headers": "own/headers" }),
    object("ConfigMap", "own", "headers"),
    object("ConfigMap", "own", "more"),
  );
  const { cluster } = await opened(api, { named: { ...nothingNamed, settings: "own/settings" } });
  expect(keys(cluster.snapshot().configMaps)).toEqual(["own/headers", "own/settings"]);
  api.put(settings({ "add-headers": "own/more" }));
  await vi.waitFor(() => expect(keys(cluster.snapshot().configMaps)).toEqual(["own/more", "own/settings"]), soon);
});

test("many changes in one turn are announced once, and a change of the status is not", async () => {
  const api = new FakeApi();
  const { cluster, announced } = await opened(api);
  const before = announced();
  api.put(...Array.from({ length: 100 }, (_, i) => ingress(`web-${i}`)));
  await vi.waitFor(() => expect(cluster.snapshot().ingresses.size).toBe(100), soon);
  expect(announced()).toBe(before + 1);
  const first = cluster.snapshot();
  const status = { loadBalancer: { ingress: [{ ip: "192.0.2.1" }] } };
  api.put({ ...ingress("web-1"), status } as KubernetesObject);
  await turn();
  await turn();
  expect(cluster.snapshot()).toBe(first);
  expect(cluster.ingress("shop/web-1")?.status).toEqual(status);
});

test("without the right to IngressClasses no class exists, and all else is served", async () => {
  const api = new FakeApi();
  const clock = new FakeClock();
  api.refused.set("IngressClass", 403);
  api.put(ingress("web"));
  const { cluster, denied } = open(api, { clock });
  await clock.advance(2_000);
  await cluster.synced;
  expect(cluster.snapshot().ingressClasses).toBeUndefined();
  expect(keys(cluster.snapshot().ingresses)).toEqual(["shop/web"]);
  expect(denied).toEqual(["IngressClass"]);
});

test("a refusal that lasts a moment removes no classes", async () => {
  const api = new FakeApi();
  const clock = new FakeClock();
  api.refused.set("IngressClass", 403);
  api.put({ ...object("IngressClass", "", "nginx"), metadata: { name: "nginx" } });
  const { cluster } = open(api, { clock });
  await clock.advance(1_000);
  api.refused.clear();
  await clock.advance(60_000);
  await cluster.synced;
  expect(keys(cluster.snapshot().ingressClasses)).toEqual(["nginx"]);
});

test("without the right to Services the first Snapshot waits", async () => {
  const api = new FakeApi();
  api.refused.set("Service", 403);
  const { cluster, denied } = open(api);
  await vi.waitFor(() => expect(denied).toEqual(["Service"]), soon);
  const late = turn().then(() => "late");
  expect(await Promise.race([cluster.synced, late])).toBe("late");
});

test("a selector of namespaces adds and removes objects when the labels of their namespace change", async () => {
  const api = new FakeApi();
  const namespace = (team: string) => ({
    ...object("Namespace", "", "shop"),
    metadata: { name: "shop", labels: { team } },
  });
  api.put(namespace("web"), ingress("web", "tls"), secret("tls"), object("ConfigMap", "own", "settings"));
  const named = { ...nothingNamed, settings: "own/settings" };
  const { cluster } = await opened(api, { watchNamespaceSelector: "team=web", named });
  const seen = () => [...keys(cluster.snapshot().ingresses), ...keys(cluster.snapshot().secrets)];
  expect(seen()).toEqual(["shop/web", "shop/tls"]);
  expect(keys(cluster.snapshot().configMaps)).toEqual(["own/settings"]);
  api.put(namespace("other"));
  await vi.waitFor(() => expect(seen()).toEqual([]), soon);
  api.put(namespace("web"));
  await vi.waitFor(() => expect(seen()).toEqual(["shop/web", "shop/tls"]), soon);
});

test("objects that flags name are watched also outside of the one watched namespace", async () => {
  const api = new FakeApi();
  const settings = (data: object) => object("ConfigMap", "own", "settings", { data });
  api.put(ingress("web"), ingress("far", undefined, {}, "elsewhere"), settings({ a: "1" }));
  api.put(object("Service", "own", "default-backend"), object("Service", "elsewhere", "other"));
  const named = { ...nothingNamed, settings: "own/settings", services: ["own/default-backend"] };
  const { cluster } = await opened(api, { watchNamespace: "shop", named });
  expect(keys(cluster.snapshot().ingresses)).toEqual(["shop/web"]);
  expect(keys(cluster.snapshot().services)).toEqual(["own/default-backend"]);
  api.put(settings({ a: "2" }));
  await vi.waitFor(() => expect(cluster.snapshot().configMaps.get("own/settings")?.data).toEqual({ a: "2" }), soon);
});

test("Endpoints are read from a server that has no EndpointSlices", async () => {
  const api = new FakeApi();
  api.refused.set("EndpointSlice", 404);
  const addresses = ["192.0.2.1", "2001:db8::1"].map((ip) => ({ ip }));
  const subset = { addresses, notReadyAddresses: [{ ip: "192.0.2.9" }], ports: [{ port: 80 }] };
  const endpoints = object("Endpoints", "shop", "web", { subsets: [subset] });
  api.put(endpoints);
  const { cluster } = await opened(api);
  const slices = () => [...cluster.snapshot().endpointSlices.values()];
  expect(
    slices()
      .map(({ addressType, endpoints }) => [addressType, endpoints])
      .sort(),
  ).toEqual([
    [
      "IPv4",
      [
        { addresses: ["192.0.2.1"], conditions: { ready: true } },
        { addresses: ["192.0.2.9"], conditions: { ready: false } },
      ],
    ],
    ["IPv6", [{ addresses: ["2001:db8::1"], conditions: { ready: true } }]],
  ]);
  api.remove(endpoints);
  await vi.waitFor(() => expect(slices()).toEqual([]), soon);
});

test("the cluster's watches end on the signal", async () => {
  const { cluster, stop } = await opened(new FakeApi());
  stop.abort();
  await cluster.ended;
});

/** Objects that no API server returns: Sluice fails on each. */
const broken: readonly (readonly [what: string, good: KubernetesObject, bad: object])[] = [
  ["the references of an Ingress", ingress("odd", "tls"), { spec: { tls: { secretName: "tls" } } }],
  [
    "an Ingress's annotations",
    ingress("odd"),
    { metadata: { namespace: "shop", name: "odd", annotations: { "nginx.ingress.kubernetes.io/auth-secret": 7 } } },
  ],
  ["an EndpointSlice", object("EndpointSlice", "shop", "odd", { endpoints: [] }), { endpoints: {} }],
  ["the settings", object("ConfigMap", "own", "settings", { data: {} }), { data: { "add-headers": 7 } }],
];

test.each(broken)("%s on which Sluice fails sets that object aside, at the start and later", async (_, good, bad) => {
  const named = { ...nothingNamed, settings: "own/settings" };
  const strange = { ...good, ...bad } as KubernetesObject;
  const name = `${good.kind} ${good.metadata.namespace}/${good.metadata.name}`;
  const api = new FakeApi();
  api.put(strange, ingress("web", "tls"), secret("tls"));
  const { cluster } = await opened(api, { named });
  const tables = () => {
    const { ingresses, endpointSlices, configMaps } = cluster.snapshot();
    return [ingresses, endpointSlices, configMaps].flatMap(keys);
  };
  expect(tables()).toEqual(["shop/web"]);
  expect(keys(cluster.snapshot().secrets)).toEqual(["shop/tls"]);
  expect(cluster.snapshot().failures.get(name)).toMatchObject({ why: expect.stringContaining("TypeError") });

  api.put(good);
  await vi.waitFor(() => expect(cluster.snapshot().failures.size).toBe(0), soon);
  expect(tables()).toHaveLength(2);
  api.put(strange, ingress("later"));
  await vi.waitFor(() => expect(cluster.snapshot().failures.size).toBe(1), soon);
  // The previous version stays, and changes of other objects take effect.
  expect(tables()).toHaveLength(3);
  api.remove(strange);
  await vi.waitFor(() => expect(cluster.snapshot().failures.size).toBe(0), soon);
  expect(tables()).toHaveLength(2);
});
