import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { type Cluster, startCluster } from "./support/cluster.ts";
import { Program } from "./support/program.ts";
import { untilAllowed } from "./support/rights.ts";

const soon = { timeout: 120_000, interval: 200 };
const crd = readFileSync(new URL("../../examples/foo-controller/crd.yaml", import.meta.url), "utf8");
const rights = [
  { apiGroups: ["samplecontroller.example.com"], resources: ["foos"], verbs: ["list", "watch"] },
  { apiGroups: ["samplecontroller.example.com"], resources: ["foos/status"], verbs: ["patch"] },
  { apiGroups: ["apps"], resources: ["deployments"], verbs: ["list", "watch", "create", "patch"] },
  { apiGroups: [""], resources: ["events"], verbs: ["create", "patch"] },
];

let cluster: Cluster;
let program: Program | undefined;

beforeAll(async () => {
  cluster = await startCluster({ users: [{ name: "foo" }] });
  await apply({
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRole",
    metadata: { name: "foo" },
    rules: rights,
  });
  await cluster.kubectl(["create", "clusterrolebinding", "foo", "--clusterrole=foo", "--user=foo"]);
  await cluster.kubectl(["apply", "-f", "-"], { input: crd });
  await cluster.kubectl(["wait", "--for=condition=Established", "crd/foos.samplecontroller.example.com"]);
  await vi.waitFor(() => cluster.kubectl(["get", "foos"]), soon);
  await untilAllowed(cluster, "foo", [{ rules: rights }]);
  program = new Program("examples/foo-controller/main.ts", [], { KUBECONFIG: cluster.kubeconfig("foo") });
});
afterAll(async () => {
  await program?.end("SIGKILL");
  await cluster?.stop();
});

const apply = (object: object) => cluster.kubectl(["apply", "-f", "-"], { input: JSON.stringify(object) });
const foo = (name: string, deploymentName: string, replicas: number) => ({
  apiVersion: "samplecontroller.example.com/v1",
  kind: "Foo",
  metadata: { name, namespace: "default" },
  spec: { deploymentName, replicas },
});
const get = (what: string, path: string) => cluster.kubectl(["get", what, "-o", `jsonpath={${path}}`]);
const eventually = (what: string, path: string, value: string) =>
  vi.waitFor(async () => expect(await get(what, path)).toBe(value), soon);
const reasons = (name: string) =>
  cluster.kubectl([
    "get",
    "events",
    "--field-selector",
    `involvedObject.name=${name}`,
    "-o",
    "jsonpath={.items[*].reason}",
  ]);

test("a Foo gets its Deployment, owned by it, and an Event says so", async () => {
  await apply(foo("web", "web-foo", 2));
  await eventually("deployment/web-foo", ".spec.replicas", "2");
  expect(await get("deployment/web-foo", ".metadata.ownerReferences[0].kind")).toBe("Foo");
  await vi.waitFor(async () => expect(await reasons("web")).toContain("Created"), soon);
});

test("a Deployment that was changed or deleted is restored", async () => {
  await cluster.kubectl(["scale", "deployment/web-foo", "--replicas=7"]);
  await eventually("deployment/web-foo", ".spec.replicas", "2");
  const before = await get("deployment/web-foo", ".metadata.uid");
  await cluster.kubectl(["delete", "deployment/web-foo"]);
  await vi.waitFor(async () => expect(await get("deployment/web-foo", ".metadata.uid")).not.toBe(before), soon);
});

test("a change of the Foo changes the Deployment, and the Deployment's status that of the Foo", async () => {
  await apply(foo("web", "web-foo", 3));
  await eventually("deployment/web-foo", ".spec.replicas", "3");
  const status = JSON.stringify({ status: { replicas: 3, readyReplicas: 3, availableReplicas: 3 } });
  await cluster.kubectl(["patch", "deployment/web-foo", "--subresource=status", "--type=merge", "-p", status]);
  await eventually("foo/web", ".status.availableReplicas", "3");
});

test("a Deployment of another owner is left alone, until it is deleted", async () => {
  await cluster.kubectl(["create", "deployment", "foreign", "--image=x", "--replicas=1"]);
  await apply(foo("greedy", "foreign", 5));
  await vi.waitFor(async () => expect(await reasons("greedy")).toContain("ErrResourceExists"), soon);
  expect(await get("deployment/foreign", ".spec.replicas")).toBe("1");
  await cluster.kubectl(["delete", "deployment/foreign"]);
  await eventually("deployment/foreign", ".spec.replicas", "5");
});

test("the controller ends on a signal, without an error in its log", async () => {
  expect(await program?.end("SIGTERM")).toBe(0);
  expect(program?.complaints).toBe("");
});
