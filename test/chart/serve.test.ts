/**
 * The installed chart serves requests. helm installs it into a real API server, and the containers
 * of its Pods run with exactly the programs, arguments, environment, volumes and accounts that they
 * were given. Requests go to the Pod's own address.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { execa } from "execa";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { toolPath } from "../../scripts/kubernetes-tools.ts";
import { type Cluster, startCluster } from "../e2e/support/cluster.ts";
import { answerOf, ingress, openShop, type Shop, shopObjects } from "../e2e/support/shop.ts";
import { apply } from "../e2e/support/sluice.ts";
import { Traffic } from "../e2e/support/traffic.ts";
import { request } from "../nginx/support/request.ts";
import { until } from "../nginx/support/until.ts";
import type { Seen } from "../support/echo-backend.ts";
import { chartFolder } from "./support/helm.ts";
import { type Kubelet, podSubnet, startKubelet } from "./support/kubelet.ts";
import { type Pods, podsAsProcesses } from "./support/pods.ts";
import { ingressesAreTaken } from "./support/taken.ts";

let cluster: Cluster;
let shop: Shop;
let kubelet: Kubelet;
let pods: Pods;
beforeAll(async () => {
  const apiServerFlags = ["--enable-aggregator-routing=true"];
  [cluster, shop] = await Promise.all([startCluster({ controllerManager: true, apiServerFlags }), openShop()]);
  pods = podsAsProcesses(cluster);
  kubelet = await startKubelet(cluster, pods.start, podSubnet);
  await apply(cluster, shopObjects);
});
afterAll(async () => {
  try {
    await kubelet?.stop();
  } finally {
    await cluster?.stop();
    await shop?.stop();
  }
});

const namespace = "ingress-nginx";
const kubectl = (...args: readonly string[]) => cluster.kubectl([...args, "--namespace", namespace]);

interface InstallOptions {
  readonly workload?: string;
  /** The values for `--set`. */
  readonly set?: readonly string[];
}

/**
 * Installs a case until the end of the test. Returns the name and address of its Pod as soon as the
 * Pod is ready and the API server accepts Ingresses.
 */
async function install(name: string, { workload = "deployment", set = [] }: InstallOptions = {}) {
  const helm = (...args: readonly string[]) =>
    execa(toolPath("helm"), [...args, "--kubeconfig", cluster.kubeconfig(), "--namespace", namespace]);
  const values = ["--values", join(import.meta.dirname, "cases", `${name}.yaml`)];
  const quick = ["--set", "controller.extraArgs.post-shutdown-grace-period=0,sluice.shutdownGracePeriod=0"];
  const one = ["--set", "controller.replicaCount=1", ...set.flatMap((value) => ["--set", value])];
  onTestFinished(async () => {
    await helm("uninstall", "ingress-nginx");
    await until("its Pods are gone", async () => (await kubectl("get", "pods", "--no-headers")) === "", 200_000);
  });
  await helm("install", "ingress-nginx", chartFolder, "--create-namespace", ...values, ...quick, ...one);
  await until("there is a Pod", async () => (await kubectl("get", "pods", "--no-headers")) !== "", 120_000);
  await kubectl("rollout", "status", `${workload}/ingress-nginx-controller`, "--timeout=180s");
  await ingressesAreTaken(cluster);
  const fields = "jsonpath={.items[0].metadata.name} {.items[0].status.podIP}";
  const [pod = "", address = ""] = (await kubectl("get", "pods", "--output", fields)).split(" ");
  return { pod, to: `${address}:80`, address };
}

const answers = (name: string, to: string, expected: string | number) =>
  until(`${name} answers ${expected}`, async () => (await answerOf(name, { to }).catch(() => 0)) === expected, 60_000);

/** Whether a process finds the account's token where Kubernetes mounts it. */
const seesToken = (pid: number) => existsSync(`/proc/${pid}/root/run/secrets/kubernetes.io/serviceaccount/token`);

test("with default values Ingresses are served, and the webhook refuses a wrong one before it is stored", async () => {
  const { pod, to, address } = await install("defaults");
  await apply(cluster, [ingress("web", { tls: "missing" })]);
  await answers("web", to, 308);
  // A worker of the previous text may still accept a connection, and does not know the host.
  const secure = { to: `${address}:443`, host: "web.example", sni: "web.example" };
  await until("web answers over TLS", async () => (await request(secure)).status === 200);
  expect(await request(secure)).toMatchObject({ certificate: "Kubernetes Ingress Controller Fake Certificate" });
  const wrong = ingress("wrong", {
    annotations: { "nginx.ingress.kubernetes.io/configuration-snippet": "return 200;" },
  });
  await expect(apply(cluster, [wrong])).rejects.toThrow(
    /admission webhook .* denied the request.*configuration-snippet/s,
  );
  // As docs/security.md says, there is one container with one account.
  const workers = () => pods.processes(`${pod}/controller`).filter(({ command }) => command.includes("nginx: worker"));
  // A worker of the previous text may end between two reads.
  await until("a worker sees the token", () => workers().some(({ pid }) => seesToken(pid)));
});

test("nginx in its own container has no token, and each container may die without the other", async () => {
  const { pod, to } = await install("nginx-container");
  const find = (container: string, words: string) =>
    pods.processes(`${pod}/${container}`).find(({ command }) => command.includes(words))?.pid;
  const master = () => find("nginx", "nginx: master");
  await apply(cluster, [ingress("two")]);
  await answers("two", to, "echo-a");
  expect(find("controller", "nginx: ")).toBeUndefined();
  expect(find("controller", "main.ts run")).toSatisfy(seesToken);
  const halves = pods.processes(`${pod}/nginx`);
  expect(halves.map(({ command }) => command)).toContainEqual(expect.stringContaining("nginx: worker process"));
  expect(halves.filter(({ pid }) => seesToken(pid))).toEqual([]);

  const annotations = {
    "nginx.ingress.kubernetes.io/custom-http-errors": "418",
    "nginx.ingress.kubernetes.io/proxy-read-timeout": "7",
  };
  await apply(cluster, [ingress("two", { annotations, service: "echo-b" })]);
  await answers("two", to, "echo-b");
  const says = (words: string) => until(words, () => pods.log(`${pod}/controller`).includes(words));
  await says("applied with a reload");

  const traffic = new Traffic(["two"], { to });
  const before = master();
  const victim = find("controller", "main.ts run")!;
  process.kill(victim, "SIGKILL");
  await until(
    "another controller runs",
    () => ![victim, undefined].includes(find("controller", "main.ts run")),
    60_000,
  );
  // The webhook has ended with the controller.
  await ingressesAreTaken(cluster);
  await apply(cluster, [ingress("two", { annotations })]);
  await answers("two", to, "echo-a");
  expect(await traffic.end()).toEqual(["echo-a", "echo-b"]);
  expect(master()).toBe(before);

  process.kill(before!, "SIGKILL");
  await until("another nginx runs", () => ![before, undefined].includes(master()), 60_000);
  await answers("two", to, "echo-a");
  await apply(cluster, [ingress("two", { service: "echo-b" })]);
  await answers("two", to, "echo-b");
});

/** A database with an HTTP interface. */
const postgres = [
  { apiVersion: "v1", kind: "Namespace", metadata: { name: "databases" } },
  {
    apiVersion: "v1",
    kind: "Service",
    metadata: { namespace: "databases", name: "postgres" },
    spec: { ports: [{ port: 5432 }] },
  },
  {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: { namespace: "databases", name: "postgres", labels: { "kubernetes.io/service-name": "postgres" } },
    addressType: "IPv4",
    ports: [{ port: 8080, protocol: "TCP" }],
    endpoints: [{ addresses: ["192.0.2.11"], conditions: { ready: true } }],
  },
];

test("a DaemonSet on the node's own network has its ports, its webhook, and the node's address in the status", async () => {
  await cluster.kubectl(["label", "node", "node-1", "ingress=true"]);
  const { to, address } = await install("host-network", { workload: "daemonset" });
  expect(address).toBe("192.0.2.1");
  await apply(cluster, [ingress("host")]);
  await answers("host", to, "echo-a");
  const annotations = { "nginx.ingress.kubernetes.io/server-snippet": "return 200;" };
  await expect(apply(cluster, [ingress("wrong", { annotations })])).rejects.toThrow(
    /denied the request.*server-snippet/s,
  );
  const status = "jsonpath={.status.loadBalancer.ingress[*].ip}";
  const written = () => cluster.kubectl(["get", "ingress", "host", "--namespace", "shop", "--output", status]);
  await until("the Ingress has the node's address", async () => (await written()) === address, 90_000);
});

test("TCP and UDP ports lead to their Services", async () => {
  const { address } = await install("tcp-udp");
  await apply(cluster, postgres);
  const asked = () => request({ to: `${address}:5432`, path: "/" }).catch(() => undefined);
  await until("the TCP port answers", async () => (await asked())?.status === 200, 30_000);
});

test("settings, headers, flags and a user's own template reach the process", async () => {
  const template = `# mine\n${readFileSync(join(import.meta.dirname, "../../templates/nginx.tmpl"), "utf8")}`;
  const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { namespace, name: "own" } };
  await apply(cluster, [
    { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } },
    { ...object, data: { "own.tmpl": template } },
  ]);
  const set = ["controller.customTemplate.configMapName=own", "controller.customTemplate.configMapKey=own.tmpl"];
  const { pod, to, address } = await install("settings-and-flags", { set });
  await apply(cluster, [ingress("set")]);
  await answers("set", to, "echo-a");
  const { headers, body } = await request({ to, host: "set.example" });
  expect(headers["x-frame-options"]).toBe("DENY");
  expect((JSON.parse(body) as Seen).headers["x-request-start"]).toMatch(/^t=[0-9.]+$/);
  expect((await request({ to: `${address}:10254`, path: "/health" })).status).toBe(200);
  const controller = pods.processes(`${pod}/controller`).find(({ command }) => command.includes("main.ts run"));
  const written = () => readFileSync(`/proc/${controller?.pid}/root/run/sluice/nginx.conf`, "utf8");
  // The template is tested with the present configuration, and used from then on.
  await until("the template is used", () => /^# mine$/m.test(written()));
  const conf = written();
  expect(conf).toContain("client_max_body_size 64m;");
  expect(conf).toContain(String.raw`{\"release\":\"ingress-nginx\"`);
});

test("a controller for one namespace serves only that namespace", async () => {
  const { to } = await install("one-namespace");
  const annotations = { "kubernetes.io/ingress.class": "nginx" };
  await apply(cluster, [ingress("mine", { ingressClass: "", annotations })]);
  await answers("mine", to, "echo-a");
});

test("logs are written to files in a volume of the user, and to folders that ingress-nginx's image has", async () => {
  const { pod, to } = await install("log-files");
  await apply(cluster, [ingress("logs")]);
  await answers("logs", to, "echo-a");
  const controller = pods.processes(`${pod}/controller`).find(({ command }) => command.includes("main.ts run"));
  const logs = `/proc/${controller?.pid}/root/var/log`;
  await until("the request is in the log", () => /GET \/ /.test(readFileSync(`${logs}/nginx/access.log`, "utf8")));
  expect(["ingress-errors.log", "audit"].filter((name) => !existsSync(`${logs}/${name}`))).toEqual([]);
});
