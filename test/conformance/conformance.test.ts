/**
 * The public conformance suite of the Gateway API against the controller, in a cluster of real API
 * server, etcd and controller manager: all profiles that are served, with every feature that the
 * status of the GatewayClass claims, and the suite's own limits of time. `npm run conformance --
 * [TEST ...]` runs single tests, and allows 2 s until an answer is right.
 */
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { gatewayApiVersion, gatewaySuite } from "../../scripts/gateway-suite.ts";
import { podSubnet, startKubelet } from "../chart/support/kubelet.ts";
import { startCluster } from "../e2e/support/cluster.ts";
import { apply, installPod, ownPod, Sluice } from "../e2e/support/sluice.ts";
import { until } from "../nginx/support/until.ts";
import { startChurn } from "./support/churn.ts";
import { startLoadBalancer } from "./support/load-balancer.ts";
import { echoPods } from "./support/pods.ts";
import { reported } from "./support/report.ts";
import { runSuite, type SuiteResult } from "./support/suite.ts";

const gatewayClass = "sluice";
const reports = join(import.meta.dirname, "../../docs/conformance");
const kept = join(reports, gatewayApiVersion === "1.6.3" ? "report-1.6.3.yaml" : "report.yaml");
const chosen = (process.env.CONFORMANCE_TESTS ?? "").split(",").filter((name) => name !== "");
const isImages = process.env.CONFORMANCE_NGINX === "image";
/** Without TLS, gRPC needs an nginx that accepts HTTP/2 and HTTP/1 on the same port. */
const profiles = ["HTTP", "TLS", "TCP", "UDP", ...(isImages ? ["GRPC"] : [])].map((name) => `GATEWAY-${name}`);
/**
 * An answer in these tests takes a second, and the suite requires three in a row. If it allows
 * only 2 s, one answer is therefore enough.
 */
const slow = ["HTTPRouteTimeoutRequest", "HTTPRouteTimeoutBackendRequest"];
/**
 * With a Service for each Gateway every feature is claimed; otherwise Gateways have addresses of a
 * pool.
 */
const withServices = isImages || process.env.CONFORMANCE_SERVICES === "1";
/** The number of objects without relation to the suite that change each second. */
const churnPerSecond = Number(process.env.CONFORMANCE_CHURN ?? 0);
const longMs = 1_500_000;

test("the suite passes for every served profile, with its core and every feature that the GatewayClass claims", {
  timeout: longMs,
}, async () => {
  const folder = mkdtempSync(join(tmpdir(), "sluice-conformance-"));
  const flags = ["--enable-aggregator-routing=true"];
  const cluster = await startCluster({ controllerManager: true, apiPort: 16443, apiServerFlags: flags });
  const kubelet = await startKubelet(cluster, echoPods(cluster), podSubnet);
  // The API server has 192.0.2.1.
  const reach = withServices
    ? ["--gateway-addresses=192.0.2.99", "--gateway-services", "--gateway-metadata-prefixes=key"]
    : ["--gateway-addresses=192.0.2.2-192.0.2.40,192.0.2.99"];
  const sluice = new Sluice({ cluster, flags: [...reach, "--http-port=18480", "--https-port=18443"] });
  const balanced = Array.from({ length: 39 }, (_, at) => `192.0.2.${at + 2}`);
  const balancer = withServices ? await startLoadBalancer(cluster, balanced) : undefined;
  try {
    // Some of the features are fields that the standard channel drops.
    const definitions = gatewaySuite.definitions("experimental");
    await cluster.kubectl(["apply", "--server-side", "--filename", definitions]);
    await cluster.kubectl(["wait", "--for=condition=Established", "crd", "--all", "--timeout=60s"]);
    // Its Pod uses the network of the Node, so that nginx listens at the Pod's endpoints.
    await installPod(cluster, ownPod, { hostNetwork: true });
    await apply(cluster, [
      {
        apiVersion: "gateway.networking.k8s.io/v1",
        kind: "GatewayClass",
        metadata: { name: gatewayClass },
        spec: { controllerName: "sluice.dev/gateway-controller" },
      } as never,
    ]);
    await sluice.process.start();
    const accepted = 'jsonpath={.status.conditions[?(@.type=="Accepted")].status}';
    const isAccepted = async () =>
      (await cluster.kubectl(["get", "gatewayclass", gatewayClass, "-o", accepted])) === "True";
    await until("the GatewayClass is accepted", isAccepted);

    const churn = churnPerSecond > 0 ? await startChurn(cluster, gatewayClass, churnPerSecond) : undefined;
    const limits = process.env.CONFORMANCE_LIMITS;
    const kubeconfig = cluster.kubeconfig();
    const asked = { kubeconfig, gatewayClass, profiles, folder, tests: chosen, limits };
    const isShort = limits !== undefined && chosen.length === 0;
    const result = await runSuite({ ...asked, skip: isShort ? slow : [] });
    const { passed, failed, skipped } = isShort
      ? together(result, await runSuite({ ...asked, tests: slow, limits: `${limits};RequiredConsecutiveSuccesses:1` }))
      : result;
    const ofMeshes = skipped.filter((name) => name.startsWith("Mesh"));
    const left = skipped.filter((name) => !ofMeshes.includes(name));
    console.log(
      `conformance ${gatewayApiVersion}, ${passed.length} passed, ${failed.size} failed, ${left.length} skipped, ` +
        `and ${ofMeshes.length} of service meshes, which is no profile of ingress controllers`,
    );
    const changedPerSecond = await churn?.stop();
    if (changedPerSecond !== undefined)
      console.log(`conformance: ${changedPerSecond.toFixed(1)} other objects changed each second`);
    for (const [name, why] of failed) console.log(`failed: ${name}\n${why}`);
    if (process.env.CONFORMANCE_OUT !== undefined) keepLogs(folder, sluice, process.env.CONFORMANCE_OUT);
    expect([...failed.keys()]).toEqual([]);
    expect(passed.length).toBeGreaterThan(0);
    if (changedPerSecond !== undefined) expect(changedPerSecond).toBeGreaterThan(churnPerSecond * 0.9);
    if (chosen.length === 0 && !isShort) {
      const report = reported(readFileSync(result.reportFile, "utf8"));
      if (process.env.CONFORMANCE_REPORT === "write") writeFileSync(kept, report);
      if (isImages) {
        expect(left).toEqual([]);
        expect(report, "docs/conformance/README.md says how the kept report is written").toBe(
          readFileSync(kept, "utf8"),
        );
      }
    }
  } finally {
    await sluice.end();
    await balancer?.stop();
    await kubelet.stop();
    await cluster.stop();
    rmSync(folder, { recursive: true });
  }
});

function together(one: SuiteResult, other: SuiteResult): SuiteResult {
  const failed = new Map([...one.failed, ...other.failed]);
  const passed = [...one.passed, ...other.passed];
  // A test counts as skipped only if both runs skip it.
  const isSkipped = (name: string) => !passed.includes(name) && !failed.has(name);
  return { ...one, passed, failed, skipped: [...one.skipped, ...other.skipped].filter(isSkipped) };
}

/** Keeps the logs that a developer reads after a failure. */
function keepLogs(folder: string, sluice: Sluice, out: string): void {
  mkdirSync(out, { recursive: true });
  copyFileSync(join(folder, "suite.log"), join(out, "suite.log"));
  copyFileSync(sluice.process.logFile, join(out, "sluice.log"));
}
