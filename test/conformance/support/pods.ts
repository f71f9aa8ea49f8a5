/**
 * The Pods of the suite: each runs the suite's own server as a process in a network namespace. Pods of other images are called ready
 * and run nothing; no test of the profile asks them.
 */
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { createConnection } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { gatewaySuite } from "../../../scripts/gateway-suite.ts";
import { startContained } from "../../chart/support/contained.ts";
import type { Manifest } from "../../chart/support/helm.ts";
import type { StartPod } from "../../chart/support/kubelet.ts";
import { openPodNetwork } from "../../chart/support/pod-network.ts";
import { environmentOf, makeVolumes, mountsOf } from "../../chart/support/pod-spec.ts";
import type { Cluster } from "../../e2e/support/cluster.ts";

/** Where the suite's server answers first. */
const port = 3000;

export function echoPods(cluster: Cluster): StartPod {
  return async (pod, address, signal) => {
    const [container] = pod.spec.containers as readonly Manifest[];
    if (!container?.image.includes("echo-basic")) return { stop: async () => {} };
    const folder = mkdtempSync(join(tmpdir(), "sluice-echo-"));
    chmodSync(folder, 0o755);
    await makeVolumes(cluster, pod, folder);
    const network = await openPodNetwork(address);
    const printed: { readonly atMs: number; readonly text: string }[] = [];
    const running = startContained({
      enter: network.enter,
      mounts: mountsOf(pod, container, folder),
      command: [gatewaySuite.echo],
      env: environmentOf(cluster, pod, container),
      write: (text) => void printed.push({ atMs: Date.now(), text }),
    });
    while (!signal.aborted && !(await accepts(address))) await sleep(50);
    return {
      log: (sinceMs) => printed.flatMap(({ atMs, text }) => (atMs < sinceMs ? [] : [text])).join(""),
      async stop() {
        await running.stop();
        await network.close();
        rmSync(folder, { recursive: true });
      },
    };
  };
}

function accepts(host: string): Promise<boolean> {
  return new Promise((answer) => {
    const socket = createConnection({ host, port });
    socket.once("error", () => answer(false));
    socket.once("connect", () => {
      socket.destroy();
      answer(true);
    });
  });
}
