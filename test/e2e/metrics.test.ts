/**
 * Tests a scrape of `sluice run` with all features on: it has all metrics that users of
 * ingress-nginx know, and Prometheus accepts it.
 */
import { readFileSync } from "node:fs";
import { execa } from "execa";
import { afterAll, beforeAll, expect, test } from "vitest";
import { promtoolPath } from "../../scripts/promtool.ts";
import { request } from "../nginx/support/request.ts";
import { until } from "../nginx/support/until.ts";
import { dashboardQueries, namesIn } from "../support/dashboard.ts";
import { type Exposition, readExposition, sumOf } from "../support/exposition.ts";
import { askedSeries } from "../support/ingress-nginx-dashboards.ts";
import { ingressNginxMetrics, requestHistograms } from "../support/ingress-nginx-metrics.ts";
import { type Cluster, startCluster } from "./support/cluster.ts";
import { answerOf, ingress, openShop, type Shop, shopObjects } from "./support/shop.ts";
import { apply, installPod, ownPod, Sluice } from "./support/sluice.ts";
import { installWebhook, tried, webhookFlags } from "./support/webhook.ts";

let cluster: Cluster;
let shop: Shop;
let sluice: Sluice;
let text = "";
let scrape: Exposition;
const settings = `${ownPod.namespace}/settings`;

beforeAll(async () => {
  [cluster, shop] = await Promise.all([startCluster(), openShop()]);
  await installPod(cluster);
  await apply(cluster, shopObjects);
  await installWebhook(cluster);
  const flags = ["--enable-metrics", "--request-histograms=full", `--configmap=${settings}`, "--reload-burst=50"];
  sluice = new Sluice({ cluster, flags: [...flags, ...webhookFlags, "--publish-status-address=192.0.2.1"] });
  await sluice.process.start();
});
afterAll(async () => {
  await sluice?.end();
  await shop?.stop();
  await cluster?.stop();
});

async function scraped(): Promise<Exposition> {
  text = (await request({ to: "127.0.0.1:10254", path: "/metrics" })).body;
  return readExposition(text);
}

/**
 * The objects cause a value for each metric: Ingresses that are served, without endpoints, with a
 * certificate, and refused, and a setting that nginx refuses.
 */
test("a controller with all features gives each metric a value", async () => {
  await until("the webhook answers", async () => (await tried(cluster, ingress("web"))) === "", 30_000);
  const data = { "tls.crt": btoa(shop.pki.tls.certificate), "tls.key": btoa(shop.pki.tls.key) };
  const secret = { apiVersion: "v1", kind: "Secret", metadata: { namespace: "shop", name: "tls" }, data };
  const configMap = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { namespace: ownPod.namespace, name: "settings" },
  };
  const orphan = ingress("orphan", { service: "nobody" });
  await apply(cluster, [{ ...secret, type: "kubernetes.io/tls" }, ingress("app", { tls: "tls" }), orphan]);
  await apply(cluster, [{ ...configMap, data: { "http-snippet": "no_such_directive on;" } }]);
  const bad = ingress("bad", { annotations: { "nginx.ingress.kubernetes.io/whitelist-source-range": "everywhere" } });
  expect(await tried(cluster, bad)).toMatch(/denied the request/);
  await until("web answers", async () => (await answerOf("web")) === "echo-a");
  await until("orphan answers", async () => (await answerOf("orphan")) === 503);
  await until("the setting is set aside", () => /nginx refused it/.test(sluice.log), 30_000);
  await until("this replica leads", () => /this replica leads/.test(sluice.log), 60_000);
  await expect
    .poll(async () => {
      scrape = await scraped();
      return lacking();
    })
    .toEqual([]);
});

/**
 * Returns the metrics that have no value yet: nginx's workers hand over their counts at different
 * times, and so do watches of the API server.
 */
function lacking(): readonly string[] {
  const counted: Readonly<Record<string, number>> = {
    "an answer of web": sumOf(scrape, "nginx_ingress_controller_requests", { ingress: "web", status: "200" }),
    "an answer of orphan": sumOf(scrape, "nginx_ingress_controller_requests", { ingress: "orphan", status: "503" }),
    "a setting that is set aside": sumOf(scrape, "sluice_quarantined_objects", { kind: "ConfigMap" }),
    "a review of bad": sumOf(scrape, "nginx_ingress_controller_check_errors", { ingress: "bad" }),
  };
  const uncounted = Object.keys(counted).filter((what) => counted[what] === 0);
  const absent = ingressNginxMetrics.filter((metric) => !scrape.samplesByName.has(sampleOf(metric)));
  return [...uncounted, ...absent.map(({ name }) => name)];
}

/** Returns the name of the sample that every exposition of the metric has. */
const sampleOf = ({ name, type }: (typeof ingressNginxMetrics)[number]) =>
  type === "histogram" ? `${name}_count` : name;

test.each(ingressNginxMetrics)("the metric $name has its type and labels", (metric) => {
  const { name, type, labels } = metric;
  const found = scrape.samplesByName.get(sampleOf(metric)) ?? [];
  expect(found.length).toBeGreaterThan(0);
  expect(scrape.types.get(name)).toBe(type);
  for (const one of found) expect(Object.keys(one.labels).sort()).toEqual([...labels].sort());
});

test("a histogram's buckets grow to its count", () => {
  for (const { name } of requestHistograms) {
    const buckets = scrape.samplesByName.get(`${name}_bucket`) ?? [];
    const last = buckets.filter(({ labels }) => labels.le === "+Inf").reduce((sum, { value }) => sum + value, 0);
    expect(last).toBe(sumOf(scrape, `${name}_count`));
  }
});

test("every series in the public dashboards of ingress-nginx is found", () => {
  const missing = askedSeries.filter(({ name, labels }) => {
    const wanted = Object.entries(labels);
    const found = scrape.samplesByName.get(name) ?? [];
    return !found.some((one) => wanted.every(([label, value]) => value.test(one.labels[label] ?? "")));
  });
  expect(missing).toEqual([]);
});

test("our own dashboard uses only series that exist", () => {
  const bare = (name: string) => (scrape.types.has(name) ? name : name.replace(/_(bucket|sum|count)$/, ""));
  const names = new Set(dashboardQueries().flatMap(namesIn).map(bare));
  expect([...names].filter((name) => !scrape.types.has(name))).toEqual([]);
});

test("docs/reference/metrics.md has every metric of our own, and no others", () => {
  const page = readFileSync(new URL("../../docs/reference/metrics.md", import.meta.url), "utf8");
  const rows = page.split("\n").filter((line) => line.startsWith("| `sluice_"));
  const written = rows.flatMap((row) => row.split("|")[1]!.match(/sluice_\w+/g)!);
  const served = [...scrape.types.keys()].filter((name) => name.startsWith("sluice_"));
  expect(written.toSorted()).toEqual(served.toSorted());
});

test("refused objects and settings are counted and reported, and the Pod is healthy", async () => {
  expect(sumOf(scrape, "sluice_quarantined_objects", { kind: "ConfigMap" })).toBe(1);
  expect(sumOf(scrape, "sluice_reloads_total", { outcome: "refused" })).toBeGreaterThan(0);
  expect(sumOf(scrape, "nginx_ingress_controller_check_errors", { ingress: "bad" })).toBe(1);
  const health = await request({ to: "127.0.0.1:10254", path: "/healthz?verbose" });
  expect(health.status).toBe(200);
  expect(health.body).toMatch(
    /^\[!\]setting http-snippet is set aside: nginx refused it: unknown directive "no_such_directive"/m,
  );
});

/** Names that ingress-nginx, Go and Node chose break some of Prometheus's customs. */
const old = /^(nginx_ingress_controller|nodejs|process|promhttp)_/;

test("promtool accepts the scrape, and has no remarks about names of our own", async () => {
  const { exitCode, all } = await execa(promtoolPath(), ["check", "metrics"], {
    input: text,
    all: true,
    reject: false,
  });
  // With exit code 3 promtool could read everything, but has remarks about names.
  expect([0, 3]).toContain(exitCode);
  expect(all.split("\n").filter((line) => line !== "" && !old.test(line))).toEqual([]);
});
