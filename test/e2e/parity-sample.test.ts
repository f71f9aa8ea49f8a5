/**
 * Runs a few cases of the corpus through the real API server, which sets defaults, refuses objects
 * and orders events. `test/parity` only imitates that. The cases concern the way between the API
 * and the Snapshot: changes, Secrets and ConfigMaps by reference, ages, classes, ports.
 */
import { afterAll, beforeAll, expect, test } from "vitest";
import { loadCase, loadExpectation } from "../parity/case.ts";
import { differences } from "../parity/compare.ts";
import { decidedDifferences, differencesPage } from "../parity/decided.ts";
import { Runner } from "../parity/runner.ts";
import { backendAddresses } from "../parity/standard-objects.ts";
import { type EchoBackends, startEchoBackends } from "../support/echo-backend.ts";
import { sharedPki } from "../support/pki.ts";
import { type Cluster, startCluster } from "./support/cluster.ts";
import { clusterSubject } from "./support/cluster-subject.ts";

const sample = [
  "routing/update-certificate",
  "routing/update-endpoints",
  "routing/update-path-removed",
  "routing/update-class-lost",
  "routing/tls-two-ingresses-oldest",
  "routing/class-ignored-ingress-does-not-count",
  "routing/port-by-number-and-name",
  "routing/port-named-target",
  "routing/path-exact-and-prefix-same-path",
  "routing/endpoint-not-ready",
  "routing/canary-header",
  "routing/class-annotation-with-other-class-name",
  "access/auth-tls-secret-replaced",
  "settings/add-headers-edit-of-referenced-configmap",
  "settings/configmap-change-is-taken-up",
];

const decided = decidedDifferences(differencesPage());
let cluster: Cluster;
let backends: EchoBackends;
let runner: Runner;

beforeAll(async () => {
  const pki = await sharedPki();
  backends = await startEchoBackends({ addresses: backendAddresses, ...pki.backend });
  cluster = await startCluster();
  runner = await Runner.start(clusterSubject(cluster), { mode: "dynamic", flags: [], pki });
});
afterAll(async () => {
  await runner?.stop();
  await cluster?.stop();
  await backends?.stop();
});

test.each(sample)("the case %s is answered as recorded, through a real API server", async (name) => {
  const wanted = loadCase(name);
  const expected = loadExpectation(wanted, decided.has(name), "dynamic");
  expect(differences(expected, await runner.run(wanted), wanted.ignore).join("\n")).toBe("");
});
