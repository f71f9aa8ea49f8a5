/**
 * Tests RouteSettings in a real cluster: their definition is installed and removed, their statuses
 * are written, and newer keys are kept.
 */
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { gatewaySuite } from "../../scripts/gateway-suite.ts";
import type { Condition } from "../../src/core/model/gateway/objects.ts";
import { request } from "../nginx/support/request.ts";
import { until } from "../nginx/support/until.ts";
import { bySettings, routeSettings } from "../support/gateways.ts";
import { type Cluster, startCluster } from "./support/cluster.ts";
import { openShop, type Shop, shopObjects } from "./support/shop.ts";
import { apply, installPod, Sluice } from "./support/sluice.ts";

const address = "192.0.2.33";
/** Discovery runs every 30 s, and the machine may be busy. */
const longMs = 240_000;
const definition = join(import.meta.dirname, "../../charts/sluice/files/route-settings.yaml");

let cluster: Cluster;
let shop: Shop;
let sluice: Sluice | undefined;

beforeAll(async () => {
  [cluster, shop] = await Promise.all([startCluster(), openShop()]);
  await installPod(cluster);
  await apply(cluster, [...shopObjects]);
  await cluster.kubectl(["apply", "--server-side", "--filename", gatewaySuite.definitions("standard")]);
  await cluster.kubectl(["wait", "--for=condition=Established", "crd", "--all", "--timeout=60s"]);
});
afterEach(async () => {
  await sluice?.end();
});
afterAll(async () => {
  await shop?.stop();
  await cluster?.stop();
});

const apiVersion = "gateway.networking.k8s.io/v1";
const settings = (values: Readonly<Record<string, unknown>>) => {
  const { metadata, ...rest } = routeSettings({ namespace: "shop", values });
  return { ...rest, metadata: { name: metadata.name, namespace: "shop" } };
};

async function conditions(): Promise<readonly Condition[]> {
  const text = await cluster.kubectl(["get", "routesettings", "settings", "--namespace=shop", "-o", "json"]);
  const { status } = JSON.parse(text) as {
    status?: { ancestors?: readonly { readonly conditions: readonly Condition[] }[] };
  };
  return status?.ancestors?.flatMap((one) => one.conditions) ?? [];
}

test("the definition is found when it is installed, and no request passes a filter whose settings are gone", async () => {
  sluice = new Sluice({
    cluster,
    flags: [`--gateway-addresses=${address}`],
    pod: { namespace: "ingress-nginx", name: "controller-0" },
  });
  await sluice.process.start();
  const listeners = [{ name: "http", port: 80, protocol: "HTTP" }];
  const rules = [{ filters: [bySettings()], backendRefs: [{ name: "echo-a", port: 80 }] }];
  const metadata = { namespace: "shop", name: "public" };
  await apply(cluster, [
    {
      apiVersion,
      kind: "GatewayClass",
      metadata: { name: "sluice" },
      spec: { controllerName: "sluice.dev/gateway-controller" },
    },
    { apiVersion, kind: "Gateway", metadata, spec: { gatewayClassName: "sluice", listeners } },
    { apiVersion, kind: "HTTPRoute", metadata, spec: { parentRefs: [{ name: "public" }], rules } },
  ]);
  const status = async () =>
    (await request({ to: `${address}:80`, host: "a.example", path: "/" }).catch(() => undefined))?.status;
  await until("an error where the kind is missing", async () => (await status()) === 500, longMs);

  await cluster.kubectl(["apply", "--filename", definition]);
  await cluster.kubectl(["wait", "--for=condition=Established", "crd/routesettings.sluice.dev", "--timeout=60s"]);
  await apply(cluster, [settings({ "proxy-body-size": "8m", "limit-rps": 100, "a-newer-key": true })]);
  await until("the kind is found", async () => (await status()) === 200, longMs);
  await until("the status is written", async () => (await conditions()).length === 1);
  const [accepted] = await conditions();
  expect(accepted).toMatchObject({ type: "Accepted", status: "True", observedGeneration: 1 });
  expect(accepted?.message).toContain("spec.a-newer-key does not exist");

  await apply(cluster, [settings({ "denylist-source-range": "0.0.0.0/0" })]);
  await until("the guard holds", async () => (await status()) === 403);
  await apply(cluster, [settings({ "denylist-source-range": "nowhere" })]);
  await until("a guard that cannot be read closes", async () => (await status()) === 503);
  await until("the status says so", async () => (await conditions())[0]?.reason === "Invalid");

  await cluster.kubectl(["delete", "crd", "routesettings.sluice.dev"]);
  await until("an error where the kind is gone", async () => (await status()) === 500, longMs);
}, 600_000);
