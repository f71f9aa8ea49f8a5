import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { type Cluster, startCluster } from "./support/cluster.ts";
import { Program } from "./support/program.ts";
import { untilAllowed } from "./support/rights.ts";

const soon = { timeout: 120_000, interval: 20 };
let cluster: Cluster;
let program: Program | undefined;

beforeAll(async () => {
  cluster = await startCluster({ users: [{ name: "logger" }] });
  await cluster.kubectl(["create", "clusterrole", "logger", "--verb=list,watch", "--resource=pods"]);
  await cluster.kubectl(["create", "clusterrolebinding", "logger", "--clusterrole=logger", "--user=logger"]);
  await untilAllowed(cluster, "logger", [
    { rules: [{ apiGroups: [""], resources: ["pods"], verbs: ["list", "watch"] }] },
  ]);
});
afterAll(async () => {
  await program?.end("SIGKILL");
  await cluster?.stop();
});

const pod = (name: string) => ({
  metadata: { name },
  apiVersion: "v1",
  kind: "Pod",
  spec: { containers: [{ name: "c", image: "x" }] },
});
const apply = (object: object) => cluster.kubectl(["apply", "-f", "-"], { input: JSON.stringify(object) });

test("the example logs Pods that exist, appear, change and are deleted, with the rights in its README", async () => {
  await apply(pod("old"));
  program = new Program("examples/pod-logger/main.ts", [], { KUBECONFIG: cluster.kubeconfig("logger") });
  const { lines } = program;
  await vi.waitFor(() => expect(lines).toEqual(["default/old Pending"]), soon);
  await apply(pod("new"));
  await vi.waitFor(() => expect(lines.at(-1)).toBe("default/new Pending"), soon);
  const running = JSON.stringify({ status: { phase: "Running" } });
  await cluster.kubectl(["patch", "pod", "new", "--subresource=status", "--type=merge", "-p", running]);
  await vi.waitFor(() => expect(lines.at(-1)).toBe("default/new Running"), soon);
  await cluster.kubectl(["delete", "pod", "old", "--force"]);
  await vi.waitFor(() => expect(lines.at(-1)).toBe("default/old gone"), soon);
  expect(await program.end("SIGTERM")).toBe(0);
  expect(lines).toEqual(["default/old Pending", "default/new Pending", "default/new Running", "default/old gone"]);
  expect(program.complaints).toBe("");
});
