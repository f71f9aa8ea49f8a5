/** A cluster that serves no EndpointSlices: backends are found by their Endpoints. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { until } from "../nginx/support/until.ts";
import { type Cluster, startCluster } from "./support/cluster.ts";
import { answerOf, ingress, openShop, type Shop, shopObjects } from "./support/shop.ts";
import { apply, installPod, Sluice } from "./support/sluice.ts";

let cluster: Cluster;
let shop: Shop;
let sluice: Sluice;

beforeAll(async () => {
  const apiServerFlags = ["--runtime-config=discovery.k8s.io/v1=false"];
  [cluster, shop] = await Promise.all([startCluster({ apiServerFlags, unready: ["informer-sync"] }), openShop()]);
  await installPod(cluster);
  await apply(
    cluster,
    shopObjects.filter((object) => !("endpoints" in object)),
  );
  await apply(cluster, [endpoints("echo-a", "192.0.2.11"), ingress("web")]);
  sluice = new Sluice({ cluster, flags: ["--publish-status-address=192.0.2.1"] });
  await sluice.process.start();
});
afterAll(async () => {
  await sluice?.end();
  await shop?.stop();
  await cluster?.stop();
});

const endpoints = (name: string, ip: string) => ({
  apiVersion: "v1",
  kind: "Endpoints",
  metadata: { namespace: "shop", name },
  subsets: [{ addresses: [{ ip }], ports: [{ name: "http", port: 8080 }] }],
});

test("the cluster of this test has no EndpointSlices", async () => {
  await expect(cluster.kubectl(["get", "endpointslices"])).rejects.toThrow(/doesn't have a resource type/);
});

test("an Ingress answers, follows its Endpoints, and answers 503 when they are gone", async () => {
  await until("it answers", async () => (await answerOf("web")) === "echo-a");
  await apply(cluster, [endpoints("echo-a", "192.0.2.12")]);
  await until("it follows", async () => (await answerOf("web")) === "echo-b");
  await cluster.kubectl(["delete", "endpoints", "echo-a", "--namespace=shop"]);
  await until("it has none", async () => (await answerOf("web")) === 503);
});

test("a missing kind is reported once", () => {
  const lines = sluice.log.split("\n").filter((line) => line.includes("endpointslices"));
  expect(lines).toHaveLength(1);
});
