import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { until } from "../nginx/support/until.ts";
import { type Cluster, startCluster } from "./support/cluster.ts";
import { answerOf, ingress, openShop, type Shop, shopObjects } from "./support/shop.ts";
import { apply, ingressClass, installPod, ownPod, Sluice } from "./support/sluice.ts";
import { Traffic } from "./support/traffic.ts";

/** How long the API server is away: 30 s is what operators speak of, a third of it shows the same. */
const awayMs = 1000 * Number(process.env.API_AWAY_SECONDS ?? 10);

let cluster: Cluster;
let shop: Shop;
let sluice: Sluice;

beforeAll(async () => {
  [cluster, shop] = await Promise.all([startCluster(), openShop()]);
  await installPod(cluster);
  await apply(cluster, shopObjects);
  sluice = new Sluice({ cluster, flags: ["--publish-status-address=192.0.2.1", "--reload-burst=50"] });
  await sluice.process.start();
});
afterAll(async () => {
  await sluice?.end();
  await shop?.stop();
  await cluster?.stop();
});

const names = Array.from({ length: 20 }, (_, i) => `web-${i}`);

/** Waits until every name answers as expected. */
async function answers(some: readonly string[], expected: string | number): Promise<void> {
  for (const name of some) await until(`${name} answers ${expected}`, async () => (await answerOf(name)) === expected);
}

describe("twenty Ingresses", () => {
  test("answer soon after kubectl apply", async () => {
    await apply(
      cluster,
      names.map((name) => ingress(name)),
    );
    await answers(names, "echo-a");
  });

  test("follow what is changed in them", async () => {
    await apply(cluster, [ingress("web-3", { service: "echo-b" })]);
    await answers(["web-3"], "echo-b");
    await answers(["web-2", "web-4"], "echo-a");
  });

  test("go when they are deleted, and come back when they are made again", async () => {
    await cluster.kubectl(["delete", "ingress", "--namespace=shop", "web-5", "web-6"]);
    await answers(["web-5", "web-6"], 404);
    await answers(["web-7"], "echo-a");
    await apply(cluster, [ingress("web-5")]);
    await answers(["web-5"], "echo-a");
  });
});
