/**
 * Runs the containers of a Pod from the image, as a kubelet would: the arguments, environment, rights, volumes, probes and hooks that the Pod's
 * spec gives, and nothing more. Only volumes that the chart makes are known.
 */
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Manifest } from "../../chart/support/helm.ts";
import type { Pod, StartPod } from "../../chart/support/kubelet.ts";
import type { Cluster } from "../../e2e/support/cluster.ts";
import { type Container, type Image, startContainer } from "./container.ts";

const tokenFolder = "/var/run/secrets/kubernetes.io/serviceaccount";

/** Also gives what each container has printed once it has ended, by Pod and container name. */
export function podsFromImage(image: Image, cluster: Cluster): { start: StartPod; readonly logs: Map<string, string> } {
  const logs = new Map<string, string>();
  const start: StartPod = async (pod) => {
    const folder = mkdtempSync(join(tmpdir(), "sluice-pod-"));
    chmodSync(folder, 0o755);
    const spec = pod.spec as Manifest;
    setSysctls(spec.securityContext?.sysctls ?? []);
    await writeToken(cluster, pod, folder);
    for (const { name } of spec.volumes ?? []) makeVolume(join(folder, name));
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
      await Promise.all(started.map(isReady));
    } catch (cause) {
      await stop();
      throw cause;
    }
    return { stop };
  };
  return { start, logs };
}

function optionsOf(image: Image, cluster: Cluster, pod: Pod, container: Manifest, folder: string) {
  const context = container.securityContext ?? {};
  const env = environmentOf(cluster, pod, container);
  const expanded = (text: string) => text.replaceAll(/\$\((\w+)\)/g, (whole, name) => env[name] ?? whole);
  const emptyDirs = new Set(
    (pod.spec as Manifest).volumes?.filter((v: Manifest) => v.emptyDir).map((v: Manifest) => v.name),
  );
  const mounts = (container.volumeMounts ?? []).map(({ name, mountPath }: Manifest) => [
    mountPath,
    join(folder, name),
    emptyDirs.has(name),
  ]);
  const automount = (pod.spec as Manifest).automountServiceAccountToken !== false;
  return {
    args: [...(container.command ?? image.config.Entrypoint), ...(container.args ?? image.config.Cmd)].map(expanded),
    user: [context.runAsUser ?? 101, context.runAsGroup ?? 82] as const,
    capabilities: context.capabilities?.add ?? [],
    readOnly: context.readOnlyRootFilesystem === true,
    env,
    emptyDirs: [],
    mounts: {
      ...Object.fromEntries(mounts.filter(([, , writable]: [string, string, boolean]) => !writable)),
      ...(automount ? { [tokenFolder]: join(folder, "api-token") } : {}),
    },
    volumes: Object.fromEntries(mounts.filter(([, , writable]: [string, string, boolean]) => writable)),
  };
}

function environmentOf({ url }: Cluster, { metadata }: Pod, container: Manifest): Record<string, string> {
  const { hostname, port } = new URL(url);
  const fields: Record<string, string> = { "metadata.name": metadata.name, "metadata.namespace": metadata.namespace! };
  const given = (container.env ?? []).map(({ name, value, valueFrom }: Manifest) => [
    name,
    value ?? fields[valueFrom.fieldRef.fieldPath],
  ]);
  return { KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port, ...Object.fromEntries(given) };
}

/** The volume of the token: `api-token` in the chart's own projected volume and in the one that Kubernetes mounts. */
async function writeToken(cluster: Cluster, pod: Pod, folder: string): Promise<void> {
  const namespace = pod.metadata.namespace!;
  const account = pod.spec.serviceAccountName ?? "default";
  const token = await cluster.kubectl(["create", "token", account, "--namespace", namespace]);
  const volume = join(folder, "api-token");
  makeVolume(volume);
  writeFileSync(join(volume, "token"), token.trim());
  writeFileSync(join(volume, "ca.crt"), readFileSync(cluster.authority.certificateFile));
  writeFileSync(join(volume, "namespace"), namespace);
}

function makeVolume(path: string): void {
  mkdirSync(path, { recursive: true });
  chmodSync(path, 0o777);
}

function setSysctls(sysctls: readonly { readonly name: string; readonly value: string }[]): void {
  for (const { name, value } of sysctls) writeFileSync(`/proc/sys/${name.replaceAll(".", "/")}`, value);
}

/** Asks the readiness probe until it says yes; throws once the container has ended. */
async function isReady([container, running]: readonly [Manifest, Container]): Promise<void> {
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
    await sleep(100);
  }
}

async function stopContainer([container, running]: readonly [Manifest, Container]): Promise<void> {
  const hook = container.lifecycle?.preStop?.exec?.command;
  // The hook's own end may be that of the container.
  if (hook) await running.exec(hook).catch(() => {});
  running.kill("SIGTERM");
  await running.ended;
}
