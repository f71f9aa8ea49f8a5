/**
 * Every command in docs/install.md, docs/upgrading.md, docs/move.md and
 * docs/move-to-gateway-api.md, run in the order of the page against a real API server, with the
 * real controller in the Pods that the chart makes; between the commands it gets the requests that
 * a reader would send. Blocks marked `sh` are run. An unmarked block needs a registry or a client
 * outside of the cluster, so it is not run.
 */
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { execa } from "execa";
import { afterEach, beforeEach, expect, test } from "vitest";
import { gatewaySuite } from "../../scripts/gateway-suite.ts";
import { toolPath } from "../../scripts/kubernetes-tools.ts";
import { type Cluster, startCluster } from "../e2e/support/cluster.ts";
import { request } from "../nginx/support/request.ts";
import { until } from "../nginx/support/until.ts";
import { installForeignKinds } from "./support/foreign-kinds.ts";
import { type Kubelet, podSubnet, startKubelet } from "./support/kubelet.ts";
import { podsAsProcesses } from "./support/pods.ts";
import { ingressesAreTaken } from "./support/taken.ts";

const root = join(import.meta.dirname, "../..");

/** The commands of a page start and end several controllers. */
const longMs = 1_800_000;
/** Without these flags each controller would wait until load balancers have noticed its end. */
const quickEnd = ["--shutdown-grace-period=0", "--post-shutdown-grace-period=0"];

let cluster: Cluster;
let kubelet: Kubelet;
let folder: string;
beforeEach(async () => {
  cluster = await startCluster({ controllerManager: true, apiServerFlags: ["--enable-aggregator-routing=true"] });
  await installForeignKinds(cluster);
  kubelet = await startKubelet(cluster, podsAsProcesses(cluster, quickEnd).start, podSubnet);
  folder = mkdtempSync(join(tmpdir(), "sluice-docs-"));
  symlinkSync(join(root, "charts"), join(folder, "charts"));
});
afterEach(async () => {
  try {
    await kubelet?.stop();
  } finally {
    await cluster?.stop();
    rmSync(folder, { recursive: true });
  }
});

/** Returns the commands of a page, block by block. */
const blocksOf = (page: string) =>
  [...readFileSync(join(root, "docs", page), "utf8").matchAll(/^```sh\n(.*?)^```$/gms)].map((match) => match[1]!);

/** Runs commands one by one, as a reader would paste them, and stops at the first failure. */
async function paste(commands: string): Promise<string> {
  await ingressesAreTaken(cluster);
  const path = [dirname(toolPath("helm")), dirname(toolPath("kubectl")), process.env.PATH].join(delimiter);
  const env = { PATH: path, KUBECONFIG: cluster.kubeconfig() };
  const script = commands.replaceAll("npx @sluice-ingress/sluice", `${process.execPath} ${join(root, "src/main.ts")}`);
  const { stdout } = await execa("bash", ["--norc", "-euo", "pipefail", "-c", script], {
    cwd: folder,
    env,
    timeout: 600_000,
  });
  return stdout;
}

/**
 * Sends requests for a host to every ready Pod of a release. Resolves when all answer `expected`.
 */
async function answers(release: string, namespace: string, host: string, expected: string): Promise<void> {
  const fields = "jsonpath={range .items[?(@.status.podIP)]}{.status.podIP} {end}";
  const list = ["get", "pods", "--namespace", namespace, "--selector", `app.kubernetes.io/instance=${release}`];
  const seen = async () => {
    const addresses = (await cluster.kubectl([...list, "--output", fields])).trim().split(" ");
    const asked = addresses.map((address) =>
      request({ to: `${address}:80`, host }).catch(({ message }) => ({ body: message })),
    );
    return (await Promise.all(asked)).map(({ body }) => body);
  };
  await expect.poll(seen, { timeout: 180_000 }).toEqual([expected]);
}

test("the commands of docs/install.md work, with those of docs/upgrading.md in between", {
  timeout: longMs,
}, async () => {
  const served = () => answers("ingress-nginx", "ingress-nginx", "hello.example.com", "hello says hello");
  for (const block of blocksOf("install.md")) {
    await paste(block);
    if (block.includes("create ingress hello")) {
      await served();
      for (const upgrading of blocksOf("upgrading.md")) await paste(upgrading);
      await served();
    }
    if (/upgrade ingress-nginx/.test(block)) await served();
  }
  expect(await paste("helm list --all-namespaces --short")).toBe("");
});

test("each step of docs/move-to-gateway-api.md keeps the host served, by an Ingress or a route", {
  timeout: longMs,
}, async () => {
  await cluster.kubectl(["apply", "--server-side", "--filename", gatewaySuite.definitions("standard")]);
  await cluster.kubectl(["wait", "--for=condition=Established", "crd", "--all", "--timeout=60s"]);
  await paste(`helm install ingress-nginx charts/sluice --namespace ingress-nginx --create-namespace --set global.image.registry=registry.example.com
    kubectl --namespace ingress-nginx rollout status deployment/ingress-nginx-controller`);
  await paste(`kubectl create namespace shop
    kubectl --namespace shop create deployment shop --image=registry.example.com/shop --port=8080
    kubectl --namespace shop expose deployment shop --port=80 --target-port=8080
    kubectl --namespace shop create ingress shop --class=nginx --rule="shop.example.com/*=shop:80"`);
  const served = () => answers("ingress-nginx", "ingress-nginx", "shop.example.com", "shop says hello");
  await served();
  for (const block of blocksOf("move-to-gateway-api.md")) {
    await paste(block);
    await served();
  }
  expect((await paste("kubectl --namespace shop get ingress --output name")).trim()).toBe("");
  expect(await paste("kubectl --namespace shop get httproute --output name")).toContain("httproute");
});

const writeAddress = (kind: string, name: string, namespace: string, ip: string) => {
  const patch = JSON.stringify({ status: { loadBalancer: { ingress: [{ ip }] } } });
  return cluster.kubectl([
    "patch",
    kind,
    name,
    "--namespace",
    namespace,
    "--subresource=status",
    "--type=merge",
    "--patch",
    patch,
  ]);
};
const addressOfShop = () =>
  cluster.kubectl([
    "get",
    "ingress",
    "shop",
    "--namespace",
    "shop",
    "--output",
    "jsonpath={.status.loadBalancer.ingress[*].ip}",
  ]);

test("the steps of docs/move.md keep the address, there and back", { timeout: longMs }, async () => {
  const address =
    "kubectl --namespace ingress-nginx get service ingress-nginx-controller --output jsonpath='{.metadata.uid} {.spec.clusterIP}'";
  const program =
    "kubectl --namespace ingress-nginx get deployment ingress-nginx-controller --output jsonpath='{.spec.template.spec.containers[0].image} {.spec.template.spec.containers[0].command}'";
  await paste(`helm install ingress-nginx ${join(import.meta.dirname, "before")} --namespace ingress-nginx --create-namespace --set controller.config.proxy-body-size=8m
    kubectl create namespace shop
    kubectl --namespace shop create deployment shop --image=registry.example.com/shop --port=8080
    kubectl --namespace shop expose deployment shop --port=80 --target-port=8080
    kubectl --namespace shop create ingress shop --class=nginx --rule="shop.example.com/*=shop:80"`);
  const before = await paste(address);
  // The load balancer and ingress-nginx would have written this address.
  await writeAddress("service", "ingress-nginx-controller", "ingress-nginx", "203.0.113.7");
  await writeAddress("ingress", "shop", "shop", "203.0.113.7");
  const served = (release: string, namespace: string) =>
    answers(release, namespace, "shop.example.com", "shop says hello");
  const programs: string[] = [];
  for (const block of blocksOf("move.md")) {
    await paste(block);
    if (/upgrade ingress-nginx|rollback ingress-nginx/.test(block)) {
      programs.push(await paste(program));
      expect(await paste(address)).toBe(before);
    }
    if (block.includes("--install beside")) await served("beside", "ingress-nginx");
    if (block.includes("upgrade ingress-nginx")) await served("ingress-nginx", "ingress-nginx");
    if (block.includes("--install sluice")) {
      await served("sluice", "sluice");
      await writeAddress("service", "sluice-ingress-nginx-controller", "sluice", "203.0.113.8");
      await until("the Ingress has the other address", async () => (await addressOfShop()) === "203.0.113.8", 180_000);
    } else if (block.includes('"ingressClassName":"nginx"')) {
      await until("the Ingress has its address again", async () => (await addressOfShop()) === "203.0.113.7", 180_000);
    } else expect(await addressOfShop()).toBe("203.0.113.7");
  }
  const theirs = "ingress-nginx/controller:v1.15.1 ";
  const ours = 'registry.example.com/sluice/controller:0.1.0 ["/sluice-init"]';
  expect(programs).toEqual([ours, theirs, ours]);
  const setting =
    "kubectl --namespace ingress-nginx get configmap ingress-nginx-controller --output jsonpath='{.data.proxy-body-size}'";
  expect(await paste(setting)).toBe("8m");
});
