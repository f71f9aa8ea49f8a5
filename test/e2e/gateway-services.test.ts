/**
 * Tests Gateways with a Service of their own with a real API server: the stored objects, the
 * restored ones, and those that a new leader keeps. The test stands in for the load balancer, and
 * sends requests to nginx at the target ports.
 */
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { gatewaySuite } from "../../scripts/gateway-suite.ts";
import type { Gateway } from "../../src/core/model/gateway/objects.ts";
import type { EndpointSlice, Service } from "../../src/core/model/objects.ts";
import { request } from "../nginx/support/request.ts";
import { until } from "../nginx/support/until.ts";
import type { Seen } from "../support/echo-backend.ts";
import { type Cluster, startCluster } from "./support/cluster.ts";
import { openShop, type Shop, shopObjects } from "./support/shop.ts";
import { apply, installPod, patchStatus, Sluice } from "./support/sluice.ts";

let cluster: Cluster;
let shop: Shop;
let running: Sluice | undefined;
const longMs = 120_000;
const backends = { a: "192.0.2.11", b: "192.0.2.12" };

beforeAll(async () => {
  const apiServerFlags = ["--service-cluster-ip-range=10.96.0.0/16,fd00:10:96::/112"];
  [cluster, shop] = await Promise.all([startCluster({ controllerManager: true, apiServerFlags }), openShop()]);
  for (const [name, ip] of pods) {
    await installPod(cluster, { namespace: "ingress-nginx", name });
    await patchStatus(cluster, ["pod", name, "--namespace=ingress-nginx"], { podIP: ip, podIPs: [{ ip }] });
  }
  await cluster.kubectl(["apply", "--server-side", "--filename", gatewaySuite.definitions("standard")]);
  await cluster.kubectl(["wait", "--for=condition=Established", "crd", "--all", "--timeout=60s"]);
  await apply(cluster, [...shopObjects, gatewayClass("sluice")]);
});
afterEach(async () => {
  await running?.end();
  running = undefined;
  await cluster.kubectl(["delete", "gateways,httproutes", "--all", "--namespace=shop"]);
  await until("all Services have gone", async () => !(await list("services")).includes("-sluice"), longMs);
});
afterAll(async () => {
  await shop?.stop();
  await cluster?.stop();
});

const pods = [
  ["controller-0", "192.0.2.50"],
  ["controller-1", "192.0.2.51"],
] as const;

async function start(pod: string = pods[0][0]): Promise<Sluice> {
  const flags = ["--gateway-services", "--gateway-service-ports=20000-20009", "--election-ttl=4s"];
  running = new Sluice({
    cluster,
    flags: [...flags, "--gateway-metadata-prefixes=team.example.com/"],
    pod: { namespace: "ingress-nginx", name: pod },
  });
  await running.process.start();
  return running;
}

const apiVersion = "gateway.networking.k8s.io/v1";
const gatewayClass = (name: string, controllerName = "sluice.dev/gateway-controller") => ({
  apiVersion,
  kind: "GatewayClass",
  metadata: { name },
  spec: { controllerName },
});
const gateway = (name: string, spec: object = {}) => ({
  apiVersion,
  kind: "Gateway",
  metadata: { namespace: "shop", name },
  spec: { gatewayClassName: "sluice", listeners: [{ name: "http", port: 80, protocol: "HTTP" }], ...spec },
});
const route = (name: string, service: string) => ({
  apiVersion,
  kind: "HTTPRoute",
  metadata: { namespace: "shop", name },
  spec: { parentRefs: [{ name }], rules: [{ backendRefs: [{ name: service, port: 80 }] }] },
});

const list = (kinds: string) => cluster.kubectl(["get", kinds, "--namespace=shop", "-o", "name"]);
const get = async <T>(kind: string, name: string): Promise<T | undefined> => {
  const text = await cluster.kubectl(["get", kind, name, "--namespace=shop", "-o", "json", "--ignore-not-found"]);
  return text === "" ? undefined : JSON.parse(text);
};
const serviceOf = (name: string) => get<Service>("service", `${name}-sluice`);
const targetOf = async (name: string) => (await serviceOf(name))?.spec?.ports?.[0]?.targetPort;
const readyOf = async (name: string) => {
  const slice = await get<EndpointSlice>("endpointslice", `${name}-sluice-ipv4`);
  return (slice?.endpoints ?? []).flatMap(({ addresses, conditions }) => (conditions?.ready ? addresses : []));
};

async function balance(name: string, ip: string): Promise<void> {
  await until(`there is a Service of ${name}`, async () => (await serviceOf(name)) !== undefined, longMs);
  await patchStatus(cluster, ["service", `${name}-sluice`, "--namespace=shop"], {
    loadBalancer: { ingress: [{ ip }] },
  });
}

async function condition(name: string, type: string): Promise<string> {
  const found = await get<Gateway>("gateway", name);
  const one = found?.status?.conditions?.find((each) => each.type === type);
  return one?.observedGeneration === found?.metadata.generation ? `${one?.status} ${one?.reason}` : "";
}
const becomes = (name: string, type: string, wanted: string) =>
  until(`${name} is ${type} ${wanted}`, async () => (await condition(name, type)) === wanted, longMs);

const answerAt = async (target: unknown) => {
  const answer = await request({ to: `127.0.0.1:${target}`, host: "any.example" }).catch(() => undefined);
  return answer?.status === 200 ? (JSON.parse(answer.body) as Seen) : undefined;
};
const isAnswered = (name: string, by: string) =>
  until(`${name} is answered by ${by}`, async () => (await answerAt(await targetOf(name)))?.backend === by, longMs);

test("two Gateways each have port 80, an address and a target port, and a new leader keeps them all", async () => {
  await start();
  await apply(cluster, [gateway("one"), gateway("two"), route("one", "echo-a"), route("two", "echo-b")]);
  await becomes("one", "Programmed", "False Pending");
  await Promise.all([balance("one", "198.51.100.201"), balance("two", "198.51.100.202")]);
  for (const name of ["one", "two"]) await becomes(name, "Programmed", "True Programmed");
  await isAnswered("one", backends.a);
  await isAnswered("two", backends.b);
  const seen = await answerAt(await targetOf("one"));
  expect(seen?.headers["x-forwarded-port"]).toBe("80");
  expect(await readyOf("one")).toEqual(pods.map(([, ip]) => ip));

  const state = async () => [
    await targetOf("one"),
    await targetOf("two"),
    (await get<Gateway>("gateway", "one"))?.status?.addresses,
  ];
  const before = await state();
  await running?.process.stop();
  expect(await readyOf("one")).toEqual([pods[1][1]]);
  await running?.end();
  await start(pods[1][0]);
  await until("the new leader has written", async () => (await readyOf("one")).length === 2, longMs);
  await isAnswered("one", backends.a);
  await isAnswered("two", backends.b);
  expect(await state()).toEqual(before);
});

test("an edit, a deletion and another tenant's port in a Service change nothing", async () => {
  await start();
  await apply(cluster, [gateway("one"), gateway("two"), route("one", "echo-a"), route("two", "echo-b")]);
  await isAnswered("one", backends.a);
  await isAnswered("two", backends.b);
  const [target, victim] = [await targetOf("one"), await targetOf("two")];
  for (const targetPort of [victim, 10_254]) {
    const ports = [{ name: "port-80", port: 80, targetPort }];
    const edit = { spec: { externalIPs: ["198.51.100.203"], selector: { app: "mine" }, ports } };
    const args = ["patch", "service", "one-sluice", "--namespace=shop", "--type=merge", "-p", JSON.stringify(edit)];
    await cluster.kubectl(args);
    await until("the Service is put back", async () => {
      const { spec } = (await serviceOf("one")) ?? {};
      const isBare = spec?.selector === undefined && (spec?.externalIPs ?? []).length === 0;
      return isBare && spec?.ports?.[0]?.targetPort === target;
    });
    expect((await answerAt(victim))?.backend).toBe(backends.b);
  }
  await cluster.kubectl(["delete", "service", "one-sluice", "--namespace=shop"]);
  await until("the Service is back", async () => (await targetOf("one")) === target, longMs);
  await isAnswered("one", backends.a);
  await until("it has endpoints", async () => (await readyOf("one")).length === 2, longMs);
  const about = '{.items[?(@.involvedObject.name=="one")].reason}';
  const reasons = () => cluster.kubectl(["get", "events", "--namespace=shop", "-o", `jsonpath=${about}`]);
  await until("an Event says so", async () => (await reasons()).includes("ServiceCorrected"), longMs);
});

test("parameters determine the Service, annotations of clouds are not copied, and a mistake leaves it unchanged", async () => {
  await start();
  const infrastructure = {
    labels: { "team.example.com/owner": "shop" },
    annotations: { "service.beta.kubernetes.io/aws-load-balancer-internal": "false" },
    parametersRef: { group: "", kind: "ConfigMap", name: "parameters" },
  };
  const parameters = (data: object) => {
    return { apiVersion: "v1", kind: "ConfigMap", metadata: { namespace: "shop", name: "parameters" }, data };
  };
  await apply(cluster, [parameters({ serviceType: "ClusterIP", ipFamilyPolicy: "RequireDualStack" })]);
  await apply(cluster, [gateway("dual", { infrastructure })]);
  await becomes("dual", "Programmed", "True Programmed");
  const service = await serviceOf("dual");
  expect(service?.metadata.labels).toMatchObject({ "team.example.com/owner": "shop" });
  expect(JSON.stringify(service)).not.toContain("aws-load-balancer");
  expect(service?.spec).toMatchObject({ type: "ClusterIP", ipFamilies: ["IPv4", "IPv6"] });
  const addresses = (await get<Gateway>("gateway", "dual"))?.status?.addresses;
  expect(addresses?.map(({ value }) => value)).toEqual(service?.spec?.clusterIPs);
  await apply(cluster, [parameters({ serviceType: "ClusterIP", externalIPs: "198.51.100.9" })]);
  await becomes("dual", "Accepted", "False InvalidParameters");
  expect((await serviceOf("dual"))?.spec).toEqual(service?.spec);
  await apply(cluster, [parameters({ serviceType: "NodePort", externalTrafficPolicy: "Local" })]);
  const policy = async () => (await serviceOf("dual"))?.spec?.externalTrafficPolicy;
  await until("the Service is another one", async () => (await policy()) === "Local", longMs);
});

test("a Service of another owner is left alone, and the one of a Gateway that changes its controller is deleted", async () => {
  await start();
  const metadata = { namespace: "shop", name: "taken-sluice" };
  await apply(cluster, [
    { apiVersion: "v1", kind: "Service", metadata, spec: { ports: [{ port: 8080 }] } },
    gateway("taken"),
    gateway("moving"),
    gatewayClass("others", "other.example/gateway"),
  ]);
  await becomes("taken", "Programmed", "False AddressNotAssigned");
  expect((await serviceOf("taken"))?.metadata.labels).toBeUndefined();
  await until("there is a Service", async () => (await targetOf("moving")) !== undefined, longMs);
  const [target, name] = [await targetOf("moving"), "ingress-controller-leader-gateway-ports"];
  await apply(cluster, [gateway("moving", { gatewayClassName: "others" })]);
  await until("the Service has gone", async () => (await serviceOf("moving")) === undefined, longMs);
  const record = ["get", "configmap", name, "--namespace=ingress-nginx", "-o", `jsonpath={.data.${target}}`];
  await until("its port rests", async () => (await cluster.kubectl(record)).startsWith("freed"), longMs);
  await apply(cluster, [gateway("next")]);
  await until("there is a Service", async () => (await targetOf("next")) !== undefined, longMs);
  expect(await targetOf("next")).not.toBe(target);
  await cluster.kubectl(["delete", "service", "taken-sluice", "--namespace=shop"]);
});
