/**
 * Runs the containers of a Pod from the image, as a kubelet would: the arguments, environment,
 * rights, volumes, probes and hooks that the Pod's spec gives, and nothing more. Only volumes that
 * the chart makes are known.
 */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Unpacked } from "../../../scripts/image/unpacked.ts";
import type { Manifest } from "../../chart/support/helm.ts";
import type { Pod, StartPod } from "../../chart/support/kubelet.ts";
import { environmentOf, expanded, type Mount, makeVolumes, mountsOf } from "../../chart/support/pod-spec.ts";
import type { Cluster } from "../../e2e/support/cluster.ts";
import { type Container, startContainer } from "./container.ts";

/** Also gives what each container has printed once it has ended, by Pod and container name. */
export function podsFromImage(
  image: Unpacked,
  cluster: Cluster,
): { start: StartPod; readonly logs: Map<string, string> } {
  const logs = new Map<string, string>();
  const start: StartPod = async (pod, _address, signal) => {
    const folder = mkdtempSync(join(tmpdir(), "sluice-pod-"));
    chmodSync(folder, 0o755);
    const spec = pod.spec as Manifest;
    setSysctls(spec.securityContext?.sysctls ?? []);
    await makeVolumes(cluster, pod, folder);
    const started = spec.containers.map((container: Manifest) => {
      const running = startContainer(image, optionsOf(image, cluster, pod, container, folder));
      void running.ended.then(({ text }) => logs.set(`${pod.metadata.name}/${container.name}`, text));
      return [container, running] as const;
    });
    const stop = async () => {
      await Promise.all(started.map(stopContainer));
      rmSync(folder, { recursive: true });
    };
    try {
      await Promise.all(started.map((one: readonly [Manifest, Container]) => isReady(one, signal)));
    } catch (cause) {
      await stop();
      throw cause;
    }
    return { stop };
  };
  return { start, logs };
}

function optionsOf(image: Unpacked, cluster: Cluster, pod: Pod, container: Manifest, folder: string) {
  const context = container.securityContext ?? {};
  const env = environmentOf(cluster, pod, container);
  const mounts = mountsOf(pod, container, folder);
  const bound = (some: readonly Mount[]) => Object.fromEntries(some.map(({ at, from }) => [at, from]));
  return {
    args: expanded([...(container.command ?? image.config.Entrypoint), ...(container.args ?? image.config.Cmd)], env),
    user: [context.runAsUser ?? 101, context.runAsGroup ?? 82] as const,
    capabilities: context.capabilities?.add ?? [],
    readOnly: context.readOnlyRootFilesystem === true,
    env,
    emptyDirs: [],
    mounts: bound(mounts.filter(({ writable }) => !writable)),
    volumes: bound(mounts.filter(({ writable }) => writable)),
  };
}

function setSysctls(sysctls: readonly { readonly name: string; readonly value: string }[]): void {
  for (const { name, value } of sysctls) writeFileSync(`/proc/sys/${name.replaceAll(".", "/")}`, value);
}

/**
 * Repeats the readiness probe until it succeeds. Throws when the container has ended, or when the
 * Pod is deleted.
 */
async function isReady([container, running]: readonly [Manifest, Container], signal: AbortSignal): Promise<void> {
  const probe = container.readinessProbe?.httpGet;
  if (probe === undefined) return;
  let ended: string | undefined;
  void running.ended.then(({ text }) => {
    ended = text;
  });
  const ask = () =>
    fetch(`http://127.0.0.1:${probe.port}${probe.path}`).then(
      ({ ok }) => ok,
      () => false,
    );
  while (!(await ask())) {
    if (ended !== undefined) throw new Error(`${container.name} ended: ${ended}`);
    await sleep(100, undefined, { signal });
  }
}

async function stopContainer([container, running]: readonly [Manifest, Container]): Promise<void> {
  const hook = container.lifecycle?.preStop?.exec?.command;
  // The hook may end the container, and so itself.
  if (hook) await running.exec(hook).catch(() => {});
  running.kill("SIGTERM");
  await running.ended;
}
