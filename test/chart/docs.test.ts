/**
 * Every command in docs/install.md and docs/move.md, run in the order of the page against a real API server.
 * A block marked `sh` is run; an unmarked one needs a registry or a client outside of the cluster and is not.
 */
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { execa } from "execa";
import { afterEach, beforeEach, expect, test } from "vitest";
import { toolPath } from "../../scripts/kubernetes-tools.ts";
import { type Cluster, startCluster } from "../e2e/support/cluster.ts";
import { foreignKinds } from "./support/foreign-kinds.ts";
import { type Kubelet, startKubelet } from "./support/kubelet.ts";
import { standInController } from "./support/stand-in-controller.ts";

const root = join(import.meta.dirname, "../..");

let cluster: Cluster;
let kubelet: Kubelet;
let folder: string;
beforeEach(async () => {
  cluster = await startCluster({ controllerManager: true, apiServerFlags: ["--enable-aggregator-routing=true"] });
  await cluster.kubectl(["apply", "--filename", "-"], { input: foreignKinds.yaml });
  kubelet = await startKubelet(cluster, standInController(cluster));
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

/** The commands of a page, block by block. */
const blocksOf = (page: string) =>
  [...readFileSync(join(root, "docs", page), "utf8").matchAll(/^```sh\n(.*?)^```$/gms)].map((match) => match[1]!);

/** Runs commands as a reader would paste them, and stops at the first that fails. */
async function paste(commands: string): Promise<string> {
  const path = [dirname(toolPath("helm")), dirname(toolPath("kubectl")), process.env.PATH].join(delimiter);
  const env = { PATH: path, KUBECONFIG: cluster.kubeconfig() };
  const { stdout } = await execa("bash", ["-euo", "pipefail", "-c", commands], { cwd: folder, env, timeout: 60_000 });
  return stdout;
}

test("docs/install.md", async () => {
  for (const block of blocksOf("install.md")) await paste(block);
  expect(await paste("helm list --all-namespaces --short")).toBe("");
});

test("docs/move.md: the address stays, there and back", async () => {
  const address =
    "kubectl --namespace ingress-nginx get service ingress-nginx-controller --output jsonpath='{.metadata.uid} {.spec.clusterIP}'";
  const image =
    "kubectl --namespace ingress-nginx get deployment ingress-nginx-controller --output jsonpath='{.spec.template.spec.containers[0].image}'";
  await paste(`helm install ingress-nginx ${join(import.meta.dirname, "before")} --namespace ingress-nginx --create-namespace --set controller.config.proxy-body-size=8m
    kubectl create namespace shop
    kubectl --namespace shop create ingress shop --class=nginx --rule="shop.example.com/*=shop:80"`);
  const before = await paste(address);
  const images: string[] = [];
  for (const block of blocksOf("move.md")) {
    await paste(block);
    if (/upgrade ingress-nginx|rollback ingress-nginx/.test(block)) {
      images.push(await paste(image));
      expect(await paste(address)).toBe(before);
    }
  }
  const theirs = "ingress-nginx/controller:v1.15.1";
  const ours = "registry.example.com/sluice/controller:0.1.0";
  expect(images).toEqual([ours, theirs, ours]);
  const setting =
    "kubectl --namespace ingress-nginx get configmap ingress-nginx-controller --output jsonpath='{.data.proxy-body-size}'";
  expect(await paste(setting)).toBe("8m");
});
