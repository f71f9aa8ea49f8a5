/**
 * Runs the containers of a Pod as processes of this machine, as a kubelet would: the program,
 * arguments, environment, volumes, token and network that the Pod's spec gives them, and each
 * container with process ids of its own. A container that ends is started again. It does not use
 * the image, the user and the root file system; test/image tests these. Containers of other images
 * answer "NAME says hello" on port 8080.
 */
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { initProgram } from "../../../scripts/init-program.ts";
import type { Cluster } from "../../e2e/support/cluster.ts";
import { request } from "../../nginx/support/request.ts";
import { type Contained, type Process, processesBeside, startContained } from "./contained.ts";
import type { Manifest } from "./helm.ts";
import type { Pod, StartPod } from "./kubelet.ts";
import { openPodNetwork } from "./pod-network.ts";
import { environmentOf, expanded, makeVolumes, mountsOf } from "./pod-spec.ts";

const root = join(import.meta.dirname, "../../..");
const main = join(root, "src/main.ts");

/** The image's programs, each with its command in a checkout. */
const programs: Readonly<Record<string, readonly string[]>> = {
  "/sluice-init": [initProgram()],
  "/nginx-ingress-controller": ["node", main, "run", "--run-folder=/run/sluice"],
  "/sluice-nginx": ["node", main, "nginx", "--run-folder=/run/sluice"],
  "/default-backend": ["node", join(root, "src/default-backend.ts")],
};

/** Containers have names like `ingress-nginx-controller-abc/controller`. */
export interface Pods {
  readonly start: StartPod;
  /** Returns the output of a container since its first start. */
  log(container: string): string;
  /** Returns the present processes of a container, by their process ids on this machine. */
  processes(container: string): readonly Process[];
}

/** Every controller gets `flags` before the flags of its Pod. */
export function podsAsProcesses(cluster: Cluster, flags: readonly string[] = []): Pods {
  const logs = new Map<string, string>();
  const live = new Map<string, Contained>();
  const start: StartPod = async (pod, address, signal) => {
    const containers: readonly Manifest[] = pod.spec.containers;
    const folder = mkdtempSync(join(tmpdir(), "sluice-pod-"));
    chmodSync(folder, 0o755);
    await makeVolumes(cluster, pod, folder);
    const network = (pod.spec as Manifest).hostNetwork ? undefined : await openPodNetwork(address);
    const started = containers.map((container) => {
      const name = `${pod.metadata.name}/${container.name}`;
      const running = startContained({
        enter: network?.enter ?? [],
        mounts: mountsOf(pod, container, folder),
        command: commandOf(cluster, pod, container, flags),
        env: environmentOf(cluster, pod, container),
        write: (text) => void logs.set(name, (logs.get(name) ?? "") + text),
      });
      live.set(name, running);
      return running;
    });
    const stop = async () => {
      await Promise.all(started.map((one) => one.stop()));
      await network?.close();
      rmSync(folder, { recursive: true });
    };
    try {
      for (const container of containers) await isReady(container, address, signal);
    } catch (cause) {
      await stop();
      throw cause;
    }
    return { stop };
  };
  return {
    start,
    log: (container) => logs.get(container) ?? "",
    processes: (container) => processesBeside(live.get(container)?.first()),
  };
}

function commandOf(cluster: Cluster, pod: Pod, container: Manifest, flags: readonly string[]): readonly string[] {
  const words: readonly string[] = [...(container.command ?? ["/sluice-init"]), ...(container.args ?? [])];
  if (!words.some((word) => word in programs && word !== "/sluice-init")) return ["node", "-e", hello(container.name)];
  const command = expanded(words, environmentOf(cluster, pod, container)).flatMap((word) => programs[word] ?? [word]);
  return words.includes("/nginx-ingress-controller") ? [...command, ...flags] : command;
}

const hello = (name: string) =>
  `require("http").createServer((_, answer) => answer.end("${name} says hello")).listen(8080); process.on("SIGTERM", () => process.exit())`;

const readyMs = 120_000;

/** Repeats the readiness probe until it succeeds. Throws if the Pod is deleted before that. */
async function isReady(container: Manifest, address: string, signal: AbortSignal): Promise<void> {
  const probe = container.readinessProbe?.httpGet;
  if (probe === undefined) return;
  const deadline = performance.now() + readyMs;
  while (performance.now() < deadline) {
    const answer = await request({ to: `${address}:${probe.port}`, path: probe.path }).catch(() => undefined);
    if (answer?.status === 200) return;
    await sleep(100, undefined, { signal });
  }
  throw new Error(`${container.name} at ${address} was not ready within ${readyMs} ms`);
}
