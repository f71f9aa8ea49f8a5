/**
 * `sluice serve` refuses and accepts in files what a real API server does; kubectl sends the
 * objects to the server without storing them (a dry run).
 */
import { afterAll, beforeAll, expect, test } from "vitest";
import { accepted, refused } from "../support/manifest-samples.ts";
import { type Cluster, startCluster } from "./support/cluster.ts";

/**
 * `serve` runs beside its backends, and endpoints of a cluster are never on the controller's own
 * machine.
 */
const onlyInFiles = /127\.0\.0\.2/;

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster();
  await cluster.kubectl(["get", "namespace", "default"]);
});
afterAll(() => cluster?.stop());

const ask = (text: string) => cluster.kubectl(["create", "--dry-run=server", "-o", "name", "-f", "-"], { input: text });

test.each(refused)("the API server refuses %s", async (text) => {
  await expect(ask(text)).rejects.toThrow(/invalid|Invalid|error|unknown|no matches|cannot/);
});

test.each(accepted.filter((text) => !onlyInFiles.test(text)))("the API server accepts %s", async (text) => {
  expect(await ask(text)).toMatch(/\//);
});
