/**
 * Gateways with a Service of their own, as the chart installs them: two replicas with exactly the
 * rights that the chart gives them, each Pod in a network of its own. The test stands in for the
 * load balancer: it writes the Service's address, and sends requests to the endpoints of its
 * slices.
 */
import { execa } from "execa";
import { afterAll, beforeAll, expect, test } from "vitest";
import { gatewaySuite } from "../../scripts/gateway-suite.ts";
import { toolPath } from "../../scripts/kubernetes-tools.ts";
import type { Gateway } from "../../src/core/model/gateway/objects.ts";
import type { ConfigMap, EndpointSlice, Service } from "../../src/core/model/objects.ts";
import { type Cluster, startCluster } from "../e2e/support/cluster.ts";
import { openShop, type Shop, shopObjects } from "../e2e/support/shop.ts";
import { apply } from "../e2e/support/sluice.ts";
import { request } from "../nginx/support/request.ts";
import { until } from "../nginx/support/until.ts";
import type { Seen } from "../support/echo-backend.ts";
import { signalled } from "../support/signalled.ts";
import { chartFolder } from "./support/helm.ts";
import { type Kubelet, podSubnet, startKubelet } from "./support/kubelet.ts";
import { type Pods, podsAsProcesses } from "./support/pods.ts";

let cluster: Cluster;
let shop: Shop;
let kubelet: Kubelet;
let pods: Pods;
const namespace = "ingress-nginx";
/** A leader that ends without releasing the Lease is replaced after this time and a few tries. */
const electionTtlMs = 5_000;
const longMs = 120_000;
const backends = { a: "192.0.2.11", b: "192.0.2.12" };

beforeAll(async () => {
  const apiServerFlags = [
    "--enable-aggregator-routing=true",
    "--service-cluster-ip-range=10.96.0.0/16,fd00:10:96::/112",
  ];
  [cluster, shop] = await Promise.all([startCluster({ controllerManager: true, apiServerFlags }), openShop()]);
  pods = podsAsProcesses(cluster);
  kubelet = await startKubelet(cluster, pods.start, podSubnet);
  await apply(cluster, shopObjects);
  const definitions = gatewaySuite.definitions("standard");
  await cluster.kubectl(["apply", "--server-side", "--filename", definitions]);
  await cluster.kubectl(["wait", "--for=condition=Established", "crd", "--all", "--timeout=60s"]);
  await cluster.kubectl(["create", "namespace", namespace]);
  await install();
}, 400_000);
afterAll(async () => {
  try {
    await kubelet?.stop();
  } finally {
    await cluster?.stop();
    await shop?.stop();
  }
});

const helm = (...args: readonly string[]) =>
  execa(toolPath("helm"), [...args, "--kubeconfig", cluster.kubeconfig(), "--namespace", namespace]);

async function install(): Promise<void> {
  const values = {
    controller: {
      replicaCount: 2,
      admissionWebhooks: { enabled: false },
      extraArgs: { "post-shutdown-grace-period": 0, "election-ttl": `${electionTtlMs / 1000}s` },
    },
    sluice: {
      shutdownGracePeriod: 0,
      gateway: { services: { enabled: true, ports: "20000-20009", metadataPrefixes: ["team.example.com/"] } },
    },
  };
  await execa(
    toolPath("helm"),
    [
      "install",
      "ingress-nginx",
      chartFolder,
      "--values",
      "-",
      "--kubeconfig",
      cluster.kubeconfig(),
      "--namespace",
      namespace,
    ],
    { input: JSON.stringify(values) },
  );
  await until("there are Pods", async () => (await podNames()).length === 2, longMs);
  await cluster.kubectl([
    "rollout",
    "status",
    `deployment/ingress-nginx-controller`,
    "-n",
    namespace,
    "--timeout=180s",
  ]);
}

const podNames = async () =>
  (await cluster.kubectl(["get", "pods", "-n", namespace, "-o", "jsonpath={.items[*].metadata.name}"]))
    .split(" ")
    .filter((name) => name !== "");

const apiVersion = "gateway.networking.k8s.io/v1";
const gatewayClass = (name: string, controllerName = "sluice.dev/gateway-controller") => ({
  apiVersion,
  kind: "GatewayClass",
  metadata: { name },
  spec: { controllerName },
});
const gateway = (name: string, spec: object = {}, ports: readonly number[] = [80]) => ({
  apiVersion,
  kind: "Gateway",
  metadata: { namespace: "shop", name },
  spec: {
    gatewayClassName: "sluice",
    listeners: ports.map((port) => ({ name: `port-${port}`, port, protocol: "HTTP" })),
    ...spec,
  },
});
const route = (name: string, parent: string, backend: string) => ({
  apiVersion,
  kind: "HTTPRoute",
  metadata: { namespace: "shop", name },
  spec: { parentRefs: [{ name: parent }], rules: [{ backendRefs: [{ name: backend, port: 80 }] }] },
});

const get = async <T>(kind: string, name: string): Promise<T | undefined> => {
  const text = await cluster.kubectl(["get", kind, name, "--namespace=shop", "-o", "json", "--ignore-not-found"]);
  return text === "" ? undefined : JSON.parse(text);
};
const serviceOf = (name: string) => get<Service>("service", `${name}-sluice`);
const sliceOf = (name: string) => get<EndpointSlice>("endpointslice", `${name}-sluice-ipv4`);
const targetsOf = (service: Service | undefined) =>
  Object.fromEntries((service?.spec?.ports ?? []).map(({ port, targetPort }) => [port, targetPort]));
const readyIn = (slice: EndpointSlice | undefined) =>
  (slice?.endpoints ?? []).flatMap(({ addresses, conditions }) => (conditions?.ready ? addresses : []));
const recordData = async () => {
  const all: { items: ConfigMap[] } = JSON.parse(
    await cluster.kubectl(["get", "configmaps", "-n", namespace, "-o", "json"]),
  );
  const found = all.items.find(({ metadata }) => metadata.name.endsWith("-gateway-ports"));
  return found?.data ?? {};
};

/** Stands in for the load balancer. */
async function balance(name: string, ip: string): Promise<void> {
  await until(`the Service of ${name} is there`, async () => (await serviceOf(name)) !== undefined, longMs);
  const status = JSON.stringify({ status: { loadBalancer: { ingress: [{ ip }] } } });
  const args = ["patch", "service", `${name}-sluice`, "--namespace=shop", "--subresource=status", "--type=merge"];
  await cluster.kubectl([...args, "-p", status]);
}

async function condition(name: string, type: string): Promise<string> {
  const found = await get<Gateway>("gateway", name);
  const one = found?.status?.conditions?.find((each) => each.type === type);
  return one?.observedGeneration === found?.metadata.generation ? `${one?.status} ${one?.reason}` : "";
}
const becomes = (name: string, type: string, wanted: string) =>
  until(`${name} is ${type} ${wanted}`, async () => (await condition(name, type)) === wanted, longMs);

const reasonsAbout = async (name: string): Promise<string> => {
  const about = `{.items[?(@.involvedObject.name=="${name}")].reason}`;
  return cluster.kubectl(["get", "events", "--namespace=shop", "-o", `jsonpath=${about}`]);
};
const eventAbout = (name: string, reason: string) =>
  until(`${reason} of ${name}`, async () => (await reasonsAbout(name)).split(" ").includes(reason), longMs);

/**
 * Returns the Pods that answer at the ready endpoints of the Gateway's slice, on the port of each.
 */
async function answers(name: string, port = 80): Promise<readonly string[]> {
  const [slice, service] = [await sliceOf(name), await serviceOf(name)];
  const target = targetsOf(service)[port];
  if (slice?.ports?.every((one) => one.port !== target)) return [`the slice does not lead to ${target}`];
  return Promise.all(
    readyIn(slice).map((address) =>
      request({ to: `${address}:${target}`, host: "any.example" }).then(
        ({ status, body }) => (status === 200 ? (JSON.parse(body) as Seen).backend : `${status}`),
        (error) => String(error),
      ),
    ),
  );
}
const isAnswered = (name: string, by: string) =>
  until(
    `${name} is answered by ${by} at both Pods`,
    async () => (await answers(name)).join() === `${by},${by}`,
    longMs,
  );

test("two Gateways listen on port 80, each with its own address, target port and routes", async () => {
  await apply(cluster, [gatewayClass("sluice"), gateway("one"), gateway("two")]);
  await apply(cluster, [route("one", "one", "echo-a"), route("two", "two", "echo-b")]);
  await becomes("one", "Programmed", "False Pending");
  await Promise.all([balance("one", "198.51.100.201"), balance("two", "198.51.100.202")]);
  await Promise.all(["one", "two"].map((name) => becomes(name, "Programmed", "True Programmed")));
  await isAnswered("one", backends.a);
  await isAnswered("two", backends.b);
  const [one, two] = [await serviceOf("one"), await serviceOf("two")];
  expect(targetsOf(one)).not.toEqual(targetsOf(two));
  expect(one?.metadata.labels).toMatchObject({ "gateway.networking.k8s.io/gateway-name": "one" });
  expect(one?.spec?.selector).toBeUndefined();
  expect((await sliceOf("one"))?.endpoints?.every(({ nodeName }) => nodeName === "node-1")).toBe(true);
  expect((await get<Gateway>("gateway", "two"))?.status?.addresses).toEqual([
    { type: "IPAddress", value: "198.51.100.202" },
  ]);
});

test("a user's change of a Service is reverted, and takes nothing from another Gateway meanwhile", async () => {
  const [before, victim] = [await serviceOf("one"), targetsOf(await serviceOf("two"))[80]];
  const edit = {
    spec: {
      externalIPs: ["198.51.100.203"],
      selector: { app: "mine" },
      ports: [{ name: "port-80", port: 80, targetPort: victim }],
    },
  };
  const args = ["patch", "service", "one-sluice", "--namespace=shop", "--type=merge"];
  await cluster.kubectl([...args, "-p", JSON.stringify(edit)]);
  await until("it is put back", async () => {
    const { spec } = (await serviceOf("one")) ?? {};
    return (
      spec?.selector === undefined && (spec?.externalIPs ?? []).length === 0 && spec?.ports?.[0]?.targetPort !== victim
    );
  });
  expect(targetsOf(await serviceOf("one"))).toEqual(targetsOf(before));
  await eventAbout("one", "ServiceCorrected");
  await isAnswered("one", backends.a);
  await isAnswered("two", backends.b);
  const port = { spec: { ports: [{ name: "port-80", port: 80, targetPort: 10_254 }] } };
  await cluster.kubectl([...args, "-p", JSON.stringify(port)]);
  await until("the port is put back", async () => targetsOf(await serviceOf("one"))[80] === targetsOf(before)[80]);
});

test("a deleted Service returns with its ports, and a Service of a user is left alone", async () => {
  const before = targetsOf(await serviceOf("two"));
  const { uid } = (await serviceOf("two"))!.metadata;
  await cluster.kubectl(["delete", "service", "two-sluice", "--namespace=shop"]);
  await until("it is back", async () => ![undefined, uid].includes((await serviceOf("two"))?.metadata.uid), longMs);
  expect(targetsOf(await serviceOf("two"))).toEqual(before);
  await balance("two", "198.51.100.202");
  await isAnswered("two", backends.b);

  const foreign = {
    apiVersion: "v1",
    kind: "Service",
    metadata: { namespace: "shop", name: "three-sluice" },
    spec: { ports: [{ port: 8080 }] },
  };
  await apply(cluster, [foreign]);
  const { resourceVersion } = (await serviceOf("three"))!.metadata;
  await apply(cluster, [gateway("three")]);
  await becomes("three", "Programmed", "False AddressNotAssigned");
  await eventAbout("three", "ClaimLost");
  expect((await serviceOf("three"))?.metadata.resourceVersion).toBe(resourceVersion);
  await cluster.kubectl(["delete", "gateway/three", "service/three-sluice", "--namespace=shop"]);
});

test("labels and annotations of load balancers are not copied, and parameters determine the Service", async () => {
  const infrastructure = {
    labels: { "team.example.com/owner": "shop" },
    annotations: { "service.beta.kubernetes.io/aws-load-balancer-internal": "false", "team.example.com/tier": "1" },
    parametersRef: { group: "", kind: "ConfigMap", name: "parameters" },
  };
  const parameters = (data: object) => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { namespace: "shop", name: "parameters" },
    data,
  });
  await apply(cluster, [parameters({ serviceType: "ClusterIP", ipFamilyPolicy: "RequireDualStack" })]);
  await apply(cluster, [gateway("dual", { infrastructure })]);
  await becomes("dual", "Programmed", "True Programmed");
  const service = await serviceOf("dual");
  expect(service?.metadata.labels).toMatchObject({ "team.example.com/owner": "shop" });
  expect(service?.metadata.annotations).toMatchObject({ "team.example.com/tier": "1" });
  expect(JSON.stringify(service)).not.toContain("aws-load-balancer");
  expect(service?.spec).toMatchObject({ type: "ClusterIP", ipFamilies: ["IPv4", "IPv6"] });
  const { status } = (await get<Gateway>("gateway", "dual"))!;
  expect(status?.addresses?.map(({ value }) => value)).toEqual(service?.spec?.clusterIPs);

  await apply(cluster, [parameters({ serviceType: "ClusterIP", externalIPs: "198.51.100.9" })]);
  await becomes("dual", "Accepted", "False InvalidParameters");
  expect((await serviceOf("dual"))?.spec).toEqual(service?.spec);
  await apply(cluster, [parameters({ serviceType: "NodePort", externalTrafficPolicy: "Local" })]);
  await until(
    "it is another Service",
    async () => (await serviceOf("dual"))?.spec?.externalTrafficPolicy === "Local",
    longMs,
  );
  await becomes("dual", "Accepted", "True Accepted");
});

test("the Service of a Gateway that is deleted or changes its controller is deleted, and its port stays reserved", async () => {
  await apply(cluster, [gatewayClass("others", "other.example/gateway")]);
  const ports = [targetsOf(await serviceOf("dual"))[80]];
  await cluster.kubectl(["delete", "gateway", "dual", "--namespace=shop"]);
  await until("the Service has gone", async () => (await serviceOf("dual")) === undefined, longMs);
  await apply(cluster, [gateway("moving")]);
  await until("it has a Service", async () => targetsOf(await serviceOf("moving"))[80] !== undefined, longMs);
  ports.push(targetsOf(await serviceOf("moving"))[80]);
  expect(new Set(ports).size).toBe(2);
  await apply(cluster, [gateway("moving", { gatewayClassName: "others" })]);
  await until("the Service has gone", async () => (await serviceOf("moving")) === undefined, longMs);
  await until(
    "the ports stay reserved",
    async () => {
      const record: Readonly<Record<string, string>> = await recordData();
      return ports.every((port) => record[`${port}`]?.startsWith("freed"));
    },
    longMs,
  );
  await cluster.kubectl(["delete", "gateway", "moving", "--namespace=shop"]);
});

/** Returns the time after `end` until a Pod's address is no longer a ready endpoint. */
async function leavesAfterMs(pod: string, end: () => Promise<unknown>): Promise<number> {
  const ip = await cluster.kubectl(["get", "pod", pod, "-n", namespace, "-o", "jsonpath={.status.podIP}"]);
  expect(readyIn(await sliceOf("one"))).toContain(ip);
  const started = performance.now();
  await end();
  await until(`${ip} has left the slices`, async () => !readyIn(await sliceOf("one")).includes(ip), longMs);
  return performance.now() - started;
}

const leader = async () =>
  until(
    "there is a leader",
    async () => {
      const names = await podNames();
      const leases = await cluster.kubectl([
        "get",
        "leases",
        "-n",
        namespace,
        "-o",
        "jsonpath={.items[*].spec.holderIdentity}",
      ]);
      return names.find((name) => leases.split(" ").includes(name));
    },
    longMs,
  );

test("when the leader's Pod is deleted or dies, Gateways keep ports and addresses, and its address leaves the slices", async () => {
  const state = async () =>
    Promise.all(
      ["one", "two"].map(async (name) => [
        targetsOf(await serviceOf(name)),
        (await get<Gateway>("gateway", name))?.status?.addresses,
      ]),
    );
  const before = await state();
  const deleted = await leader();
  const deletedMs = await leavesAfterMs(deleted, () =>
    cluster.kubectl(["delete", "pod", deleted, "-n", namespace, "--wait=false"]),
  );
  await until("there are two Pods again", async () => !(await podNames()).includes(deleted), longMs);
  await cluster.kubectl([
    "rollout",
    "status",
    "deployment/ingress-nginx-controller",
    "-n",
    namespace,
    "--timeout=180s",
  ]);
  await isAnswered("one", backends.a);
  expect(await state()).toEqual(before);

  const dead = await leader();
  const deadMs = await leavesAfterMs(dead, async () => {
    for (const { pid } of pods.processes(`${dead}/controller`)) process.kill(pid, "SIGSTOP");
    // The kubelet, or the Node's controller, would write this condition.
    const conditions = [{ type: "Ready", status: "False" }];
    const status = JSON.stringify({ status: { conditions } });
    await cluster.kubectl(["patch", "pod", dead, "-n", namespace, "--subresource=status", "-p", status]);
  });
  console.log(`slices: ${Math.round(deletedMs)} ms after a deletion, ${Math.round(deadMs)} ms after a death`);
  expect(await state()).toEqual(before);
  // The end of a container's first process ends the others, so one of them may be gone already.
  for (const { pid } of pods.processes(`${dead}/controller`)) signalled(pid, "SIGKILL");
  // This includes the Lease's time, the wait of a candidate between two tries, and the writes on a
  // busy machine.
  expect(deadMs).toBeLessThan(electionTtlMs + 25_000);
});

test("Services and ports survive the release, and the next release continues with them", async () => {
  const before = targetsOf(await serviceOf("one"));
  await helm("uninstall", "ingress-nginx");
  await until("its Pods have gone", async () => (await podNames()).length === 0, longMs);
  expect(targetsOf(await serviceOf("one"))).toEqual(before);
  await install();
  await isAnswered("one", backends.a);
  expect(targetsOf(await serviceOf("one"))).toEqual(before);
}, 400_000);
