/**
 * The controller with exactly the rights and arguments that the chart gives it. The API server's
 * audit log shows what it did: nothing was refused, and it used every right.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { controllerOf, type Manifest, type Rendered, render } from "../chart/support/helm.ts";
import { until } from "../nginx/support/until.ts";
import { Audit } from "./support/audit.ts";
import { type Cluster, startCluster } from "./support/cluster.ts";
import { untilAllowed, untilDenied } from "./support/rights.ts";
import { answerOf, ingress, openShop, type Shop, shopObjects } from "./support/shop.ts";
import { apply, installPod, ownPod, patchStatus, Sluice } from "./support/sluice.ts";

const account = "system:serviceaccount:ingress-nginx:ingress-nginx";
const folder = mkdtempSync(join(tmpdir(), "sluice-audit-"));
const audit = new Audit(folder);
let cluster: Cluster;
let shop: Shop;

beforeAll(async () => {
  const users = [{ name: account, groups: ["system:serviceaccounts"] }];
  [cluster, shop] = await Promise.all([startCluster({ users, apiServerFlags: audit.flags }), openShop()]);
  await installPod(cluster);
  await apply(cluster, shopObjects);
});
afterAll(async () => {
  await shop?.stop();
  await cluster?.stop();
  rmSync(folder, { recursive: true });
});

/** The chart's objects without its Pods. */
const installed = [
  "ServiceAccount",
  "ClusterRole",
  "ClusterRoleBinding",
  "Role",
  "RoleBinding",
  "Service",
  "ConfigMap",
];

function argumentsOf(rendered: Rendered): readonly string[] {
  const args: readonly string[] = controllerOf(rendered).args;
  return args.map((arg) => arg.replaceAll("$(POD_NAMESPACE)", ownPod.namespace));
}

/** Returns verbs and resources of all rules, as the audit log names them. */
function rightsOf({ objects }: Rendered): readonly string[] {
  const rules: Manifest[] = objects.flatMap(({ kind, rules }) => (/Role$/.test(kind) ? rules : []));
  return rules.flatMap(({ verbs, resources, apiGroups }) =>
    verbs.flatMap((verb: string) =>
      resources.flatMap((resource: string) =>
        apiGroups.map((group: string) => `${verb} ${resource}${group === "" ? "" : `.${group}`}`),
      ),
    ),
  );
}

/** Runs a controller through everything that needs a right. */
async function live(args: readonly string[], seesClasses: boolean): Promise<void> {
  const sluice = new Sluice({ cluster, user: account, flags: args });
  try {
    await sluice.process.start();
    const data = { "tls.crt": btoa(shop.pki.tls.certificate), "tls.key": btoa(shop.pki.tls.key) };
    const secret = { apiVersion: "v1", kind: "Secret", metadata: { namespace: "shop", name: "tls" }, data };
    // Without the right to read classes only the old annotation counts (RS-1.4).
    const byAnnotation = seesClasses ? {} : { "kubernetes.io/ingress.class": "nginx" };
    // An Ingress with the annotation of kubectl apply is read before its status is written.
    const annotations = { "kubectl.kubernetes.io/last-applied-configuration": "{}", ...byAnnotation };
    const options = { tls: "tls", annotations, ...(seesClasses ? {} : { ingressClass: "" }) };
    await apply(cluster, [secret, ingress("web", options)]);
    await until("it answers", async () => (await answerOf("web")) === 308);
    await apply(cluster, [ingress("web", { ...options, service: "echo-b" })]);
    await until("its status is written", () => sluice.log.includes("the status of Ingresses was written"));
    const counted = 'jsonpath={.items[?(@.reason=="Sync")].count}';
    const events = ["get", "events", "--namespace=shop", "-o", counted];
    await until("an Event was counted up", async () => /[2-9]/.test(await cluster.kubectl(events)));
    if (args.includes("--service-ingress=true")) await askForIngress();
    expect(await sluice.process.stop()).toBe(0);
  } finally {
    await sluice.end();
    await cluster.kubectl(["delete", "ingress/web", "secret/tls", "--namespace=shop", "--ignore-not-found"]);
    await cluster.kubectl(["delete", "events", "--all", "--namespace=shop"]);
  }
}

/**
 * A Service gets an Ingress by its annotation, another program changes the Ingress, and then the
 * Service loses the annotation.
 */
async function askForIngress(): Promise<void> {
  const inShop = (...words: readonly string[]) => cluster.kubectl(["--namespace=shop", ...words]);
  const hosts = () => inShop("get", "ingresses", "-o", "jsonpath={.items[*].spec.rules[*].host}");
  await inShop("annotate", "service", "echo-b", "ingress/http=true");
  await until("there is an Ingress", async () => (await hosts()).includes("echo-b.shop.example"));
  const elsewhere = { op: "replace", path: "/spec/rules/0/host", value: "elsewhere.example" };
  await inShop("patch", "ingress", "echo-b", "--type=json", "-p", JSON.stringify([elsewhere]));
  await until("it is put right", async () => (await hosts()).includes("echo-b.shop.example"));
  await inShop("annotate", "service", "echo-b", "ingress/http-");
  await until("it is gone", async () => !(await hosts()).includes("echo-b"));
}

const webhookOff = { admissionWebhooks: { enabled: false } };
const oneNamespace = { ...webhookOff, scope: { enabled: true, namespace: "shop" } };
const ingressesForServices = { serviceIngressHost: "{service}.{namespace}.example" };
const byNodes = {
  ...webhookOff,
  scope: { namespaceSelector: "kubernetes.io/metadata.name=shop" },
  publishService: { enabled: false },
  extraArgs: { "enable-topology-aware-routing": "" },
};

describe.each([
  ["in the whole cluster", { controller: webhookOff }],
  ["in the whole cluster, of selected namespaces, with the addresses of Nodes", { controller: byNodes }],
  ["in one namespace", { controller: oneNamespace }],
  ["in one namespace, with Ingresses for Services", { controller: oneNamespace, sluice: ingressesForServices }],
  ["in one namespace, without a ClusterRole", { controller: oneNamespace, rbac: { scope: true } }],
])("rights %s", (_name, values) => {
  test("are enough, and refusals are known and reported", async () => {
    const rendered = await render(values);
    const objects = rendered.objects.filter(({ kind }) => installed.includes(kind));
    const applied = objects.filter(({ metadata }) => !metadata.name.includes("admission"));
    const rules = applied
      .filter(({ kind }) => /Role$/.test(kind))
      .map(({ metadata: { namespace }, rules: own }) => ({ namespace, rules: own }));
    await apply(cluster, applied);
    await untilAllowed(cluster, account, rules);
    const service = ["service", "ingress-nginx-controller", "--namespace=ingress-nginx"];
    await patchStatus(cluster, service, { loadBalancer: { ingress: [{ ip: "192.0.2.9" }] } });
    const before = audit.deedsOf(account).length;
    const seesClasses = !("rbac" in values);
    await live(argumentsOf(rendered), seesClasses);
    const deeds = audit.deedsOf(account).slice(before);
    const refused = new Set(deeds.filter(({ status }) => status === 403).map(({ what }) => what));
    // What may not be listed is not watched either.
    expect([...refused]).toEqual(seesClasses ? [] : ["list ingressclasses.networking.k8s.io"]);
    for (const { what } of deeds) used.add(what);
    for (const right of rightsOf(rendered)) granted.add(right);
    const rights = { apiVersion: "v1", kind: "List", items: objects.filter(({ kind }) => /Role/.test(kind)) };
    await cluster.kubectl(["delete", "-f", "-"], { input: JSON.stringify(rights) });
    await untilDenied(cluster, account, rules);
  });
});

const used = new Set<string>();
const granted = new Set<string>();

test("contain nothing that is not used", () => {
  // If a server streams lists, only a broken watch and a Secret that is read again cause a list.
  const asOldServer = [...used].map((what) => what.replace(/^watch /, "list "));
  // Used only if a server has no EndpointSlices.
  const without = ["list endpoints", "watch endpoints"];
  // This API server has no Gateway API and no RouteSettings, so their rights are not used.
  const ofGateways = / \S+\.(gateway\.networking\.k8s\.io|sluice\.dev|apiextensions\.k8s\.io)$/;
  const expected = [...granted].filter((right) => !ofGateways.test(right));
  const unused = expected.filter((right) => !used.has(right) && !asOldServer.includes(right));
  expect(unused.sort()).toEqual(without);
});
