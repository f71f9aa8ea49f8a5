/**
 * The chart against a real API server: every case is accepted field by field, and a release goes
 * through installation, upgrade and removal.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { execa } from "execa";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parse } from "yaml";
import { toolPath } from "../../scripts/kubernetes-tools.ts";
import { type Cluster, startCluster } from "../e2e/support/cluster.ts";
import { installForeignKinds } from "./support/foreign-kinds.ts";
import { chartFolder, type Rendered, render } from "./support/helm.ts";

const casesFolder = join(import.meta.dirname, "cases");
const cases = readdirSync(casesFolder).map((file) => file.replace(/\.yaml$/, ""));
const valuesOf = (name: string) => parse(readFileSync(join(casesFolder, `${name}.yaml`), "utf8"));

let cluster: Cluster;

beforeAll(async () => {
  cluster = await startCluster({
    controllerManager: true,
    apiServerFlags: ["--service-cluster-ip-range=10.96.0.0/16,fd00:10:96::/112"],
  });
  await installForeignKinds(cluster);
  for (const name of ["ingress-nginx", "shop"]) await cluster.kubectl(["create", "namespace", name]);
  await cluster.kubectl(["label", "namespace", "ingress-nginx", "pod-security.kubernetes.io/enforce=restricted"]);
});
afterAll(() => cluster?.stop());

const helm = (...args: readonly string[]) =>
  execa(toolPath("helm"), [...args, "--kubeconfig", cluster.kubeconfig(), "--namespace", "ingress-nginx"]);

test.each(cases)("the API server accepts every object and field of the case %s", async (name) => {
  const { manifest, objects } = await render(valuesOf(name));
  const applied = await cluster.kubectl(["apply", "--dry-run=server", "--validate=strict", "--filename", "-"], {
    input: manifest,
  });
  expect(applied.split("\n").filter((line) => line.includes("dry run"))).toHaveLength(objects.length);
});

/**
 * Cases that the security level refuses: it forbids the network and ports of the node, and other
 * cases have a security context, a module or containers of the user.
 */
const unrestricted = ["gateways", "host-network", "local-cluster", "pinned-and-patched", "sidecars"];

test.each(cases.filter((name) => !unrestricted.includes(name)))(
  "the Pods of the case %s may run at the Pod Security level restricted",
  async (name) => {
    for (const pod of podsOf(await render(valuesOf(name)))) {
      // The release would create the account, but it is not installed here.
      const input = JSON.stringify({ ...pod, spec: { ...pod.spec, serviceAccountName: "default" } });
      await cluster.kubectl(["create", "--dry-run=server", "--filename", "-"], { input });
    }
  },
);

test("a Pod on the node's network is refused at the level restricted, so the test above can fail", async () => {
  const [pod] = podsOf(await render(valuesOf("host-network")));
  const input = JSON.stringify({ ...pod, spec: { ...pod!.spec, serviceAccountName: "default" } });
  await expect(cluster.kubectl(["create", "--dry-run=server", "--filename", "-"], { input })).rejects.toThrow(
    /hostNetwork=true/,
  );
});

test("a release is installed, upgraded, rolled back and uninstalled", async () => {
  const values = (name: string) => ["--values", join(casesFolder, `${name}.yaml`)];
  const shape = async () => {
    const pods = [
      "get",
      "deployment",
      "ingress-nginx-controller",
      "--output",
      "jsonpath={.spec.template.spec.containers[*].name}",
    ];
    return cluster.kubectl([...pods, "--namespace", "ingress-nginx"]);
  };
  await helm("install", "ingress-nginx", chartFolder);
  expect(await shape()).toBe("controller");
  await helm("upgrade", "ingress-nginx", chartFolder, ...values("nginx-container"));
  expect(await shape()).toBe("controller nginx");
  await helm("upgrade", "ingress-nginx", chartFolder, ...values("metrics"));
  expect(await cluster.kubectl(["get", "servicemonitor", "--all-namespaces", "--no-headers"])).toContain(
    "ingress-nginx-controller",
  );
  await helm("rollback", "ingress-nginx", "1");
  expect(await shape()).toBe("controller");
  expect(await cluster.kubectl(["get", "servicemonitor", "--all-namespaces"])).toBe("");
  await helm("uninstall", "ingress-nginx");
  const left =
    "deployment,daemonset,service,configmap,role,rolebinding,clusterrole,clusterrolebinding,ingressclass,serviceaccount";
  expect(
    await cluster.kubectl(["get", left, "--all-namespaces", "--selector", "app.kubernetes.io/instance=ingress-nginx"]),
  ).toBe("");
});

/**
 * Kubernetes does not allow changes of the class of a load balancer, so an upgrade to such a
 * release is not tested.
 */
const changeable = cases.filter((name) => name !== "load-balancers");

test("one release is upgraded to every case in turn, and back to the first", { timeout: 900_000 }, async () => {
  for (const name of changeable) {
    const values = ["--values", join(casesFolder, `${name}.yaml`)];
    const { stdout } = await helm("upgrade", "--install", "ingress-nginx", chartFolder, ...values, "--history-max=0");
    expect(stdout).toContain("STATUS: deployed");
  }
  const labels = "jsonpath={.metadata.labels.team} {.spec.template.spec.hostAliases[*].ip}";
  const controller = ["get", "deployment", "ingress-nginx-controller", "--namespace", "ingress-nginx"];
  await helm("rollback", "ingress-nginx", String(1 + changeable.indexOf("pinned-and-patched")), "--history-max=0");
  expect(await cluster.kubectl([...controller, "--output", labels])).toBe("edge 192.0.2.7");
  await helm("rollback", "ingress-nginx", String(1 + changeable.indexOf("defaults")));
  expect(await cluster.kubectl([...controller, "--output", labels])).toBe(" ");
  await helm("uninstall", "ingress-nginx");
});

test("two releases with two classes run beside each other", async () => {
  await helm("install", "ingress-nginx", chartFolder);
  await helm("install", "internal", chartFolder, "--values", join(casesFolder, "second-class.yaml"));
  const classes = await cluster.kubectl(["get", "ingressclass", "--output", "jsonpath={.items[*].metadata.name}"]);
  expect(classes.split(" ").toSorted()).toEqual(["nginx", "nginx-internal", "nginx-private"]);
  await helm("uninstall", "internal", "ingress-nginx");
});

test("the CA that the controller writes into the webhook configuration survives an upgrade", async () => {
  const name = ["validatingwebhookconfiguration", "ingress-nginx-admission"];
  const caBundle = Buffer.from(readFileSync(cluster.authority.certificateFile)).toString("base64");
  await helm("install", "ingress-nginx", chartFolder);
  const change = [{ op: "add", path: "/webhooks/0/clientConfig/caBundle", value: caBundle }];
  await cluster.kubectl(["patch", ...name, "--type=json", "--field-manager=sluice", "--patch", JSON.stringify(change)]);
  await helm("upgrade", "ingress-nginx", chartFolder, "--set", "controller.admissionWebhooks.failurePolicy=Ignore");
  const kept = [
    "get",
    ...name,
    "--output",
    "jsonpath={.webhooks[0].failurePolicy} {.webhooks[0].clientConfig.caBundle}",
  ];
  expect(await cluster.kubectl(kept)).toBe(`Ignore ${caBundle}`);
  await helm("uninstall", "ingress-nginx");
});

test("helm lint finds no mistake", async () => {
  const { stdout } = await execa(toolPath("helm"), ["lint", "--strict", chartFolder]);
  expect(stdout).toContain("0 chart(s) failed");
  expect(stdout).not.toMatch(/WARNING|ERROR/);
});

function podsOf(rendered: Rendered) {
  return rendered.objects
    .filter(({ kind }) => kind === "Deployment" || kind === "DaemonSet")
    .map(({ metadata, spec }) => ({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { ...spec.template.metadata, name: metadata.name, namespace: metadata.namespace },
      spec: spec.template.spec,
    }));
}
