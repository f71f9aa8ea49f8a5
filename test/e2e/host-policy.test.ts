/**
 * Tests the host policy in a cluster: by labels of Namespaces, at the webhook, in Events, and as
 * `check --policy` predicts it.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { check } from "../../src/cli/check.ts";
import { ran } from "../golden/support/ran.ts";
import { until } from "../nginx/support/until.ts";
import { type Cluster, startCluster } from "./support/cluster.ts";
import { ingress } from "./support/shop.ts";
import { apply, ingressClass, installPod, Sluice } from "./support/sluice.ts";
import { installWebhook, tried as triedIn, webhookFlags } from "./support/webhook.ts";

let cluster: Cluster;
let sluice: Sluice;
const namespace = (name: string, labels: Readonly<Record<string, string>> = {}) => ({
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name, labels },
});

beforeAll(async () => {
  cluster = await startCluster();
  await installPod(cluster);
  await apply(cluster, [
    namespace("shop"),
    namespace("pay"),
    ingressClass("nginx", "k8s.io/ingress-nginx"),
    ingress("early"),
  ]);
  await installWebhook(cluster);
  const flags = [...webhookFlags, "--update-status=false", "--host-policy=labels"];
  sluice = new Sluice({ cluster, flags });
  await sluice.process.start();
  await until("the webhook answers", () => triedIn(cluster, ingress("first")).then((why) => why === ""));
});
afterAll(async () => {
  await sluice?.end();
  await cluster?.stop();
});

const refusal = (host: string) =>
  `spec.rules[0].host: the host policy gives ${host} to namespace pay alone; nothing is served for it here`;

test("check --policy predicts who would lose a host, for files and for the objects of the cluster", async () => {
  const folder = mkdtempSync(join(tmpdir(), "sluice-policy-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "policy.yaml");
  writeFileSync(
    file,
    "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: hosts, namespace: edge }\ndata: { pay: early.example }\n",
  );
  const { code, text } = await ran(check, "--policy", file, "--kubeconfig", cluster.kubeconfig());
  expect(text).toBe(`error: Ingress shop/early: ${refusal("early.example")}\n1 error and no warnings in the cluster\n`);
  expect(code).toBe(1);
});

test("a label takes a host from an existing Ingress, and the webhook refuses new ones", async () => {
  await apply(cluster, [namespace("pay", { "hosts.sluice.dev/early.example": "exact" })]);
  await until("the Event", async () =>
    (await cluster.kubectl(["get", "events", "-n", "shop", "-o", "jsonpath={.items[*].message}"])).includes(
      refusal("early.example"),
    ),
  );
  const again = { ...ingress("early"), metadata: { namespace: "shop", name: "again" } };
  await until("the webhook knows", async () => (await triedIn(cluster, again)).includes(refusal("early.example")));
  expect(await triedIn(cluster, ingress("free"))).toBe("");
});
