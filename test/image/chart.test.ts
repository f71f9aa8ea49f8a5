/**
 * Installs the chart into a real API server, and runs its Pods from the image exactly by their
 * specs: as user 101 without any capability, without new privileges, on a read-only root, with the
 * token of the account that the chart made.
 */
import { existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { execa } from "execa";
import { afterAll, beforeAll, expect, test } from "vitest";
import { toolPath } from "../../scripts/kubernetes-tools.ts";
import { chartFolder } from "../chart/support/helm.ts";
import { type Kubelet, startKubelet } from "../chart/support/kubelet.ts";
import { type Cluster, startCluster } from "../e2e/support/cluster.ts";
import { answerOf, ingress, openShop, type Shop, shopObjects } from "../e2e/support/shop.ts";
import { Traffic } from "../e2e/support/traffic.ts";
import { until } from "../nginx/support/until.ts";
import { openImage } from "./support/container.ts";
import { podsFromImage } from "./support/pods.ts";

let image: ReturnType<typeof openImage>;
let cluster: Cluster;
let kubelet: Kubelet;
let shop: Shop;
let logs: ReadonlyMap<string, string>;
beforeAll(async () => {
  image = openImage();
  [cluster, shop] = await Promise.all([
    startCluster({ controllerManager: true, apiServerFlags: ["--enable-aggregator-routing=true"] }),
    openShop(),
  ]);
  const pods = podsFromImage(image, cluster);
  logs = pods.logs;
  kubelet = await startKubelet(cluster, pods.start);
  await apply(shopObjects);
});
afterAll(async () => {
  try {
    await kubelet?.stop();
  } finally {
    await cluster?.stop();
    await shop?.stop();
  }
});

const helm = (...args: readonly string[]) =>
  execa(toolPath("helm"), [...args, "--kubeconfig", cluster.kubeconfig(), "--namespace", "ingress-nginx"]);
const apply = (objects: readonly object[]) =>
  cluster.kubectl(["apply", "--filename", "-"], {
    input: objects.map((object) => JSON.stringify(object)).join("\n---\n"),
  });
const rollout = (name: string) =>
  cluster.kubectl(["rollout", "status", `deployment/${name}`, "--namespace", "ingress-nginx", "--timeout=180s"]);

/**
 * Processes whose command line contains these words. Containers are seen from outside, and share
 * the network of the test. A new child process looks like its parent for a moment, so it does not
 * count.
 */
const processesWith = (words: string) => {
  const found = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => commandLine(pid).includes(words) && networkOf(pid) === networkOf("self"));
  return found.filter((pid) => !found.includes(parentOf(pid))).map(Number);
};

function parentOf(pid: string): string {
  try {
    return /^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? "";
  } catch {
    return "";
  }
}

function networkOf(pid: string): string {
  try {
    return readlinkSync(`/proc/${pid}/ns/net`);
  } catch {
    return "";
  }
}

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
  } catch {
    return "";
  }
}

/** Requests an answer of the Pod's page. */
// biome-ignore lint/suspicious/noExplicitAny: the assertions say what is in it
const page = async (path: string): Promise<any> => (await fetch(`http://127.0.0.1:10254/ui/api/v1/${path}`)).json();
const controllers = () => processesWith("-recompilation /nginx-ingress-controller");
const masters = () => processesWith("nginx: master process");
const names = Array.from({ length: 100 }, (_, i) => `web-${i}`);
const values = [
  ...["--set", "controller.admissionWebhooks.enabled=false", "--set", "defaultBackend.enabled=true"],
  ...["--set", "defaultBackend.port=18080", "--set", "controller.extraArgs.post-shutdown-grace-period=0"],
  ...["--set", "sluice.shutdownGracePeriod=0"],
];

test("a hundred Ingresses are served by the Pods of the chart", async () => {
  await helm("install", "ingress-nginx", chartFolder, "--create-namespace", ...values);
  await rollout("ingress-nginx-controller");
  await rollout("ingress-nginx-defaultbackend");
  await apply(names.map((name) => ingress(name)));
  for (const name of names) await until(`${name} answers`, async () => (await answerOf(name)) === "echo-a");
  expect((await fetch("http://127.0.0.1:18080/")).status).toBe(404);
  // The holder of the Lease is known a moment after the start.
  await until("the page names the leader", async () => (await page("status")).leader?.isOwn === true, 60_000);
  expect((await page("routes?limit=1")).total).toBeGreaterThanOrEqual(names.length);
});

test("a controller that dies is started again, and nginx continues to serve", async () => {
  const [before] = masters();
  const [victim] = controllers();
  const traffic = new Traffic(names);
  process.kill(victim!, "SIGKILL");
  const next = await until("a new controller runs", () => controllers().find((pid) => pid !== victim), 60_000);
  await apply([ingress("web-0", { service: "echo-b" })]);
  await until("it follows a change", async () => (await answerOf("web-0")) === "echo-b", 60_000);
  const answers = await traffic.end();
  expect(answers.filter((answer) => !answer.startsWith("echo-"))).toEqual([]);
  expect(next).not.toBe(victim);
  expect(masters()).toEqual([before]);
});

test("the release leaves nothing when it is uninstalled, and no permission was missing until then", async () => {
  const asked = new Date().toISOString();
  await helm("uninstall", "ingress-nginx", "--wait", "--timeout=180s");
  await until("nothing is left", () => masters().length === 0 && controllers().length === 0, 180_000);
  const log = await until("the log is there", () => [...logs].find(([name]) => name.endsWith("/controller"))?.[1]);
  expect(log).toContain("no nginx is left");
  // helm removes the rights before the Pods.
  const refusals = log.split("\n").filter((line) => /forbidden/i.test(line) && timeOf(line) < asked);
  expect(refusals).toEqual([]);
});

test("nginx in a container of its own, as the same user and without the token, carries out the controller's orders", async () => {
  await helm("install", "ingress-nginx", chartFolder, ...values, "--set", "sluice.nginxContainer.enabled=true");
  await rollout("ingress-nginx-controller");
  await until("it answers", async () => (await answerOf("web-1")) === "echo-a", 60_000);
  const hasToken = (pid: number | undefined) =>
    existsSync(`/proc/${pid}/root/run/secrets/kubernetes.io/serviceaccount/token`);
  expect([controllers(), masters()].map(([pid]) => hasToken(pid))).toEqual([true, false]);
  const annotations = { "nginx.ingress.kubernetes.io/proxy-read-timeout": "77" };
  await apply([ingress("web-1", { service: "echo-b", annotations })]);
  await until("it follows a change that needs a reload", async () => (await answerOf("web-1")) === "echo-b", 60_000);
  // A new route answers while nginx is still reloading, and its figures cannot be read then.
  const status = await until("nginx has reloaded", async () => {
    const now = await page("status");
    return now.memory === undefined || now.nginx.connections === undefined ? undefined : now;
  });
  expect(status).toMatchObject({
    nginx: { isRunning: true, workers: expect.any(Number), connections: expect.any(Number) },
    memory: { capacityBytes: expect.any(Number) },
    reloads: { failed: 0 },
  });
  expect((await page("ask?url=http://127.0.0.1/")).arrivals).toHaveLength(1);
  await helm("uninstall", "ingress-nginx", "--wait", "--timeout=180s");
  await until("nothing is left", () => masters().length === 0 && controllers().length === 0, 180_000);
});

/**
 * Returns the time of a line in the controller's log. Lines of nginx have no such field, so the
 * present time is used.
 */
const timeOf = (line: string): string => /"time":"([^"]+)"/.exec(line)?.[1] ?? "";
