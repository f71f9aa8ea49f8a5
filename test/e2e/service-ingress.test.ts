/**
 * `sluice run --service-ingress` beside a real API server and the controller manager, whose garbage
 * collector deletes objects by their owner references.
 */
import { afterAll, beforeAll, expect, test } from "vitest";
import { until } from "../nginx/support/until.ts";
import { type Cluster, startCluster } from "./support/cluster.ts";
import { answerOf, ingress, openShop, type Shop, shopObjects } from "./support/shop.ts";
import { apply, installPod, Sluice } from "./support/sluice.ts";

let cluster: Cluster;
let shop: Shop;
let sluice: Sluice;

beforeAll(async () => {
  [cluster, shop] = await Promise.all([startCluster({ controllerManager: true }), openShop()]);
  await installPod(cluster);
  await apply(cluster, shopObjects);
  const flags = ["--service-ingress", "--service-ingress-host={service}.example", "--reload-burst=50"];
  sluice = new Sluice({ cluster, flags: [...flags, "--publish-status-address=192.0.2.1"] });
  await sluice.process.start();
});
afterAll(async () => {
  await sluice?.end();
  await shop?.stop();
  await cluster?.stop();
});

const inShop = (...args: readonly string[]) => cluster.kubectl(["--namespace=shop", ...args]);
const annotate = (name: string, annotation: string) =>
  inShop("annotate", "--overwrite", "service", name, `ingress/http${annotation}`);
const ingressesIn = () => inShop("get", "ingresses", "-o", "jsonpath={.items[*].metadata.name}");
const uidOf = (name: string) => inShop("get", "ingress", name, "-o", "jsonpath={.metadata.uid}").catch(() => "");
const answers = (name: string, expected: string | number) =>
  until(`${name} answers ${expected}`, async () => (await answerOf(name)) === expected);
const eventsAbout = (name: string) => {
  const about = `involvedObject.kind=Service,involvedObject.name=${name}`;
  return inShop("get", "events", "--field-selector", about, "-o", "jsonpath={.items[*].reason}");
};

test("an annotated Service answers on its host, and owns its Ingress", async () => {
  await answers("echo-a", 404);
  await annotate("echo-a", "=true");
  await answers("echo-a", "echo-a");
  const owner = await inShop("get", "ingress", "echo-a", "-o", "jsonpath={.metadata.ownerReferences[0].kind}");
  expect(owner).toBe("Service");
  await until("an Event says so", async () => (await eventsAbout("echo-a")).includes("IngressCreated"));
});

test("the Ingress is restored when a user deletes or changes it", async () => {
  const before = await uidOf("echo-a");
  await inShop("delete", "ingress", "echo-a");
  await until("there is another", async () => ![before, ""].includes(await uidOf("echo-a")));
  const elsewhere = { op: "replace", path: "/spec/rules/0/host", value: "elsewhere.example" };
  await inShop("patch", "ingress", "echo-a", "--type=json", "-p", JSON.stringify([elsewhere]));
  await answers("echo-a", "echo-a");
  await answers("elsewhere", 404);
});

test("an Ingress of the same name that a user made is left alone", async () => {
  await apply(cluster, [ingress("echo-b")]);
  const before = await inShop("get", "ingress", "echo-b", "-o", "jsonpath={.metadata.uid} {.spec}");
  await annotate("echo-b", "=true");
  await until("a Warning says so", async () => (await eventsAbout("echo-b")).includes("IngressExists"));
  expect(await inShop("get", "ingress", "echo-b", "-o", "jsonpath={.metadata.uid} {.spec}")).toBe(before);
  await inShop("delete", "ingress", "echo-b");
  await answers("echo-b", "echo-b");
});

test("the Ingress is deleted with the annotation, and with the Service", async () => {
  await annotate("echo-a", "-");
  await answers("echo-a", 404);
  await until("one is left", async () => (await ingressesIn()) === "echo-b");
  await inShop("delete", "service", "echo-b");
  await until("none is left", async () => (await ingressesIn()) === "", 120_000);
});

test("a write that the API server refuses is given up after ten retries, with one Event", async () => {
  const rule = {
    apiGroups: ["networking.k8s.io"],
    apiVersions: ["v1"],
    operations: ["CREATE"],
    resources: ["ingresses"],
  };
  const metadata = { name: "no-ingresses" };
  const policy = {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingAdmissionPolicy",
    metadata,
    spec: {
      matchConstraints: { resourceRules: [rule] },
      validations: [{ expression: "false", message: "none today" }],
    },
  };
  const binding = {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingAdmissionPolicyBinding",
    metadata,
    spec: { policyName: metadata.name, validationActions: ["Deny"] },
  };
  await apply(cluster, [policy, binding]);
  const isRefused = async () => {
    const refused = await apply(cluster, [ingress("probe")]).then(() => "", String);
    if (refused === "") await inShop("delete", "ingress", "probe");
    return refused.includes("none today");
  };
  await until("the policy counts", isRefused, 30_000);
  await annotate("echo-a", "=true");
  await until("an Event says so", async () => (await eventsAbout("echo-a")).includes("IngressFailed"), 120_000);
  const counts = "jsonpath={.items[?(@.reason=='IngressFailed')].count}";
  expect(await inShop("get", "events", "-o", counts)).toBe("1");
  await cluster.kubectl(["delete", "validatingadmissionpolicybinding", metadata.name]);
  await annotate("echo-a", "-");
});
