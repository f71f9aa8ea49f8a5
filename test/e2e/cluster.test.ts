import { afterAll, beforeAll, expect, test } from "vitest";
import { type Cluster, startCluster } from "./support/cluster.ts";

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster({ users: [{ name: "nobody" }], controllerManager: true });
});
afterAll(() => cluster?.stop());

test("the API server knows its users and applies RBAC", async () => {
  expect(await cluster.kubectl(["auth", "whoami", "-o", "jsonpath={.status.userInfo.username}"])).toBe("admin");
  await expect(cluster.kubectl(["get", "secrets", "-A"], { user: "nobody" })).rejects.toThrow(/forbidden/i);
});

test("the controller manager works: a namespace gets its default ServiceAccount", async () => {
  await cluster.kubectl(["create", "namespace", "fresh"]);
  await cluster.kubectl(["-n", "fresh", "wait", "--for=create", "serviceaccount/default", "--timeout=30s"]);
});

test("objects are still there after etcd and the API server have restarted", async () => {
  await cluster.kubectl(["create", "configmap", "kept", "--from-literal=a=b"]);
  await cluster.apiServer.stop();
  await cluster.etcd.restart();
  await cluster.apiServer.start();
  expect(await cluster.kubectl(["get", "configmap", "kept", "-o", "jsonpath={.data.a}"])).toBe("b");
});
