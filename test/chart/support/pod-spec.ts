/**
 * Does the work of a kubelet before a container starts: volumes on disk, the command and the
 * environment, from the Pod's spec.
 */
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Cluster } from "../../e2e/support/cluster.ts";
import type { Manifest } from "./helm.ts";
import type { Pod } from "./kubelet.ts";

export const tokenFolder = "/var/run/secrets/kubernetes.io/serviceaccount";

/**
 * The volume for the account's token, which Kubernetes would add, gets the name of the one that the
 * chart makes itself.
 */
const tokenVolume = "sluice-api-token";

export interface Mount {
  readonly at: string;
  /** The path on this machine. */
  readonly from: string;
  readonly writable: boolean;
}

/**
 * Fills `folder` with one folder for each volume. Only kinds of volume that the chart makes are
 * known.
 */
export async function makeVolumes(cluster: Cluster, pod: Pod, folder: string): Promise<void> {
  await writeToken(cluster, pod, makeFolder(join(folder, tokenVolume)));
  for (const { name, configMap, secret } of (pod.spec as Manifest).volumes ?? []) {
    const path = makeFolder(join(folder, name));
    if (configMap) await writeKeys(cluster, pod, ["configmap", configMap.name], configMap.items, path);
    if (secret) await writeKeys(cluster, pod, ["secret", secret.secretName], secret.items, path);
  }
}

export function mountsOf(pod: Pod, container: Manifest, folder: string): readonly Mount[] {
  const { volumes = [], automountServiceAccountToken } = pod.spec as Manifest;
  const writable = new Set(volumes.filter(({ emptyDir }: Manifest) => emptyDir).map(({ name }: Manifest) => name));
  const mounts = (container.volumeMounts ?? []).map(({ name, mountPath }: Manifest) => ({
    at: mountPath,
    from: join(folder, name),
    writable: writable.has(name),
  }));
  if (automountServiceAccountToken === false) return mounts;
  return [...mounts, { at: tokenFolder, from: join(folder, tokenVolume), writable: false }];
}

export function environmentOf({ url }: Cluster, { metadata }: Pod, container: Manifest): Record<string, string> {
  const { hostname, port } = new URL(url);
  const fields: Record<string, string> = { "metadata.name": metadata.name, "metadata.namespace": metadata.namespace! };
  const given = (container.env ?? []).map(({ name, value, valueFrom }: Manifest) => [
    name,
    value ?? fields[valueFrom.fieldRef.fieldPath],
  ]);
  return { KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port, ...Object.fromEntries(given) };
}

/** Replaces `$(NAME)` in a command or an argument, which is a variable of the container. */
export const expanded = (words: readonly string[], env: Readonly<Record<string, string>>): string[] =>
  words.map((word) => word.replaceAll(/\$\((\w+)\)/g, (whole, name) => env[name] ?? whole));

async function writeToken(cluster: Cluster, pod: Pod, folder: string): Promise<void> {
  const namespace = pod.metadata.namespace!;
  const account = pod.spec.serviceAccountName ?? "default";
  const token = await cluster.kubectl(["create", "token", account, "--namespace", namespace]);
  writeFileSync(join(folder, "token"), token.trim());
  writeFileSync(join(folder, "ca.crt"), readFileSync(cluster.authority.certificateFile));
  writeFileSync(join(folder, "namespace"), namespace);
}

/**
 * Writes the keys of a ConfigMap or Secret as files, with the same links as a kubelet. `items`
 * chooses and renames keys.
 */
async function writeKeys(
  cluster: Cluster,
  { metadata }: Pod,
  object: readonly string[],
  items: readonly { readonly key: string; readonly path: string }[] | undefined,
  folder: string,
): Promise<void> {
  const text = await cluster.kubectl(["get", ...object, "--namespace", metadata.namespace!, "--output", "json"]);
  const { kind, data = {} } = JSON.parse(text) as Manifest;
  const encoding = kind === "Secret" ? "base64" : "utf8";
  const version = "..2026_01_01_00_00_00.1";
  mkdirSync(join(folder, version));
  symlinkSync(version, join(folder, "..data"));
  for (const { key, path } of items ?? Object.keys(data).map((name) => ({ key: name, path: name }))) {
    writeFileSync(join(folder, version, path), Buffer.from(data[key], encoding));
    symlinkSync(join("..data", path), join(folder, path));
  }
}

function makeFolder(path: string): string {
  mkdirSync(path, { recursive: true });
  chmodSync(path, 0o777);
  return path;
}
