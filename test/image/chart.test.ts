/** The chart installed into a real API server, and its Pods run from the image with exactly what their specs give them. */
import { execa } from "execa";
import { afterAll, beforeAll, expect, test } from "vitest";
import { toolPath } from "../../scripts/kubernetes-tools.ts";
import { chartFolder } from "../chart/support/helm.ts";
import { type Kubelet, startKubelet } from "../chart/support/kubelet.ts";
import { type Cluster, startCluster } from "../e2e/support/cluster.ts";
import { type Image, openImage } from "./support/container.ts";
import { podsFromImage } from "./support/pods.ts";

let image: Image;
let cluster: Cluster;
let kubelet: Kubelet;
beforeAll(async () => {
  image = openImage();
  cluster = await startCluster({ controllerManager: true, apiServerFlags: ["--enable-aggregator-routing=true"] });
  const { start } = podsFromImage(image, cluster);
  // The controller has tests of its own; here only the Pods of one workload are run.
  kubelet = await startKubelet(cluster, (pod, address) =>
    pod.metadata.labels?.["app.kubernetes.io/component"] === "default-backend"
      ? start(pod, address)
      : Promise.resolve({ stop: async () => {} }),
  );
});
afterAll(async () => {
  try {
    await kubelet?.stop();
  } finally {
    await cluster?.stop();
    image?.close();
  }
});

const helm = (...args: readonly string[]) =>
  execa(toolPath("helm"), [...args, "--kubeconfig", cluster.kubeconfig(), "--namespace", "ingress-nginx"]);

test("the default backend of the chart runs and answers", async () => {
  const values = ["--set", "defaultBackend.enabled=true", "--set", "defaultBackend.port=18080"];
  await helm("install", "ingress-nginx", chartFolder, "--create-namespace", ...values);
  await cluster.kubectl([
    ...[
      "rollout",
      "status",
      "deployment/ingress-nginx-defaultbackend",
      "--namespace",
      "ingress-nginx",
      "--timeout=60s",
    ],
  ]);
  expect((await fetch("http://127.0.0.1:18080/")).status).toBe(404);
  await helm("uninstall", "ingress-nginx", "--wait", "--timeout=60s");
  await expect
    .poll(
      () =>
        fetch("http://127.0.0.1:18080/").then(
          () => true,
          () => false,
        ),
      { timeout: 30_000 },
    )
    .toBe(false);
});
