/**
 * The Pods of the suite: each runs the suite's own server as a process in a network namespace. The
 * Pod of CoreDNS runs a program of ours that answers each question. Pods of other images are
 * reported as ready without running a program; no test sends them requests.
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

export function echoPods(cluster: Cluster): StartPod {
  return async (pod, address, signal) => {
    const [container] = pod.spec.containers as readonly Manifest[];
    const command = commandOf(container?.image ?? "");
    if (container === undefined || command === undefined) return { stop: async () => {} };
    const folder = mkdtempSync(join(tmpdir(), "sluice-echo-"));
    chmodSync(folder, 0o755);
    await makeVolumes(cluster, pod, folder);
    const network = await openPodNetwork(address);
    const env = environmentOf(cluster, pod, container);
    const isUdp = command[0] !== gatewaySuite.echo || env.UDP_ECHO_SERVER !== undefined;
    const printed: { readonly atMs: number; readonly text: string }[] = [];
    const running = startContained({
      enter: network.enter,
      mounts: mountsOf(pod, container, folder),
      command,
      env,
      write: (text) => void printed.push({ atMs: Date.now(), text }),
      // They are first processes of their namespaces without a handler for SIGTERM, so the kernel
      // does not deliver it.
      graceMs: 0,
    });
    const isUp = () => (isUdp ? printed.length > 0 : accepts(address, Number(env.TCP_PORT ?? env.HTTP_PORT ?? 3000)));
    while (!signal.aborted && !(await isUp())) await sleep(50);
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

function commandOf(image: string): readonly string[] | undefined {
  if (image.includes("echo-basic")) return [gatewaySuite.echo];
  return image.includes("coredns") ? [process.execPath, join(import.meta.dirname, "dns-server.mjs")] : undefined;
}

function accepts(host: string, port: number): Promise<boolean> {
  return new Promise((answer) => {
    const socket = createConnection({ host, port });
    socket.once("error", () => answer(false));
    socket.once("connect", () => {
      socket.destroy();
      answer(true);
    });
  });
}
