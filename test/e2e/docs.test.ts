/**
 * Runs what docs/user-guide.md, docs/operate.md and the guides print for a cluster, word by word:
 * `sluice run`, the Events, the right to the Lease, a change of a weight, an upgrade with a port.
 * test/chart/docs.test.ts runs the commands of docs/install.md and docs/move.md, and
 * test/nginx/docs.test.ts those without a cluster.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { execa } from "execa";
import { afterAll, beforeAll, expect, test } from "vitest";
import { toolPath } from "../../scripts/kubernetes-tools.ts";
import { request } from "../nginx/support/request.ts";
import { type Cluster, startCluster } from "./support/cluster.ts";
import { apply, ingressClass } from "./support/sluice.ts";

const root = join(import.meta.dirname, "../..");
const page = (name: string): string => readFileSync(join(root, "docs", name), "utf8");
const soon = { timeout: 60_000, interval: 100 };

let cluster: Cluster;
let folder: string;
let program: ReturnType<typeof start>;

/** Starts a command as a reader would paste it. */
function start(command: string) {
  const script = command.replace(
    "npx @sluice-ingress/sluice",
    `exec ${process.execPath} ${join(root, "bin/sluice.mjs")}`,
  );
  return execa("bash", ["--norc", "-c", script], { cwd: folder, reject: false, all: true, env: { KUBECONFIG: "" } });
}

beforeAll(async () => {
  cluster = await startCluster();
  folder = mkdtempSync(join(tmpdir(), "sluice-docs-"));
  await cluster.kubectl(["create", "namespace", "ingress-nginx"]);
  // The page says that the variables name an existing Pod.
  const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "controller-0", namespace: "ingress-nginx" } };
  await apply(cluster, [{ ...pod, spec: { containers: [{ name: "controller", image: "sluice" }] } }]);
  writeFileSync(join(folder, "admin.conf"), readFileSync(cluster.kubeconfig()));
  const backend = { service: { name: "nothing", port: { number: 80 } } };
  const web = { apiVersion: "networking.k8s.io/v1", kind: "Ingress", metadata: { name: "web", namespace: "default" } };
  const spec = { ingressClassName: "nginx", defaultBackend: backend };
  await apply(cluster, [ingressClass("nginx", "k8s.io/ingress-nginx"), { ...web, spec }]);
  const [command = ""] = /^ {4}POD_NAMESPACE=.*\n(?: {4}.*\n)*/m.exec(page("user-guide.md")) ?? [];
  program = start(command.replace(/^ {4}/gm, ""));
});
afterAll(async () => {
  program?.kill("SIGTERM");
  await program;
  await cluster?.stop();
  rmSync(folder, { recursive: true });
});

async function paste(command: string): Promise<string> {
  const path = [dirname(toolPath("helm")), dirname(toolPath("kubectl")), process.env.PATH].join(delimiter);
  const env = { PATH: path, KUBECONFIG: cluster.kubeconfig() };
  return (await execa("bash", ["--norc", "-euo", "pipefail", "-c", command], { cwd: root, env })).stdout;
}

/** Returns the commands between backquotes, and those in blocks. */
const commandsOf = (name: string, pattern: RegExp): readonly string[] => {
  return [...page(name).matchAll(/`(kubectl [^`]+)`|^(kubectl .*)$/gm)]
    .map(([, inline, line]) => inline ?? line!)
    .filter((one) => pattern.test(one));
};

test("the command sluice run of the user guide serves requests", async () => {
  const health = () =>
    request({ to: "127.0.0.1:10254", path: "/healthz" }).then(
      ({ status }) => status,
      () => undefined,
    );
  await expect.poll(health, soon).toBe(200);
  const answer = await request({ to: "127.0.0.1:8080", path: "/" });
  expect(answer.status).toBe(503);
});

test("the commands of the pages find the Events", async () => {
  const commands = [...commandsOf("move.md", /get events/), ...commandsOf("operate.md", /get events/)];
  await expect.poll(() => paste(commands[0]!), soon).toContain("ServiceMissing");
  // No object is refused here, so the other reasons are compared with the controller's own table.
  const { reasonOf } = await import("../../src/edges/events/event-writer.ts");
  const reasons = commands.slice(1).map((one) => /reason=(\w+)/.exec(one)?.[1]);
  expect(reasons).toEqual([reasonOf({ kind: "nginx-refused" }), reasonOf({ kind: "last-good" })]);
  for (const command of commands.slice(1)) expect(await paste(command)).toBe("");
});

test("the chart's account may write its Lease, as the command of the page shows", async () => {
  const [command = ""] = commandsOf("operate.md", /auth can-i/);
  await expect(paste(command)).rejects.toThrow();
  const role =
    "helm template ingress-nginx charts/sluice --namespace ingress-nginx --show-only templates/controller-role.yaml";
  await paste(`${role} | kubectl apply --filename -`);
  expect(await paste(command)).toBe("yes");
  await paste(`${role} | kubectl delete --filename -`);
});

test("the command of the guide to canaries raises the weight of its Ingress", async () => {
  const [objects = ""] = /(?<=^```yaml\n).*?(?=^```$)/gms.exec(page("guides/canaries.md")) ?? [];
  writeFileSync(join(folder, "canary.yaml"), objects);
  await cluster.kubectl(["create", "namespace", "cart"]);
  await cluster.kubectl(["apply", "--filename", join(folder, "canary.yaml")]);
  const weight = () => {
    const field = "jsonpath={.metadata.annotations.nginx\\.ingress\\.kubernetes\\.io/canary-weight}";
    return cluster.kubectl(["get", "ingress", "cart-next", "--namespace", "cart", "--output", field]);
  };
  expect(await weight()).toBe("20");
  const [command = ""] = commandsOf("guides/canaries.md", /annotate/);
  await paste(command);
  expect(await weight()).toBe("50");
});

test("the command of the guide to TCP adds the port to an installed release", async () => {
  // The class of the other tests exists already.
  const withoutClass = "--set controller.ingressClassResource.enabled=false";
  await paste(`helm install ingress-nginx charts/sluice --namespace ingress-nginx ${withoutClass}`);
  const [command = ""] = /^helm upgrade .*$/m.exec(page("guides/tcp-and-udp.md")) ?? [];
  await paste(command);
  const list = ["get", "configmap", "ingress-nginx-tcp", "--namespace", "ingress-nginx", "--output"];
  expect(JSON.parse(await cluster.kubectl([...list, "jsonpath={.data}"]))).toEqual({ 5432: "data/postgres:5432" });
});
