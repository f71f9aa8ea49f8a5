/**
 * Reads a live cluster once: every kind that a controller reads, and policies of other controllers,
 * in the form of files, so that the tools treat folders and clusters alike. Kinds that may not be
 * read are reported and left out.
 */
import { gunzipSync } from "node:zlib";
import { build } from "../base/version.ts";
import type { Flags } from "../controller/flags.ts";
import { credentialsOf } from "../controller/run/credentials.ts";
import { type KubernetesObject, keyOf, type Secret } from "../core/model/objects.ts";
import { tableOf, type WatchedKind } from "../core/model/snapshot.ts";
import { gatewayKinds } from "../edges/cluster/gateway-kinds.ts";
import type { Manifest, ManifestObject, OtherObject } from "../edges/folder/manifest.ts";
import {
  configMaps,
  endpointSlices,
  ingressClasses,
  ingresses,
  namespaces,
  secrets,
  services,
} from "../edges/resources.ts";
import { Client, type Resource } from "../kube/index.ts";
import type { Files } from "./folder.ts";
import { otherKinds } from "./other-kinds.ts";

export type ReadCluster =
  | { readonly ok: true; readonly files: Files; readonly server: string; readonly notes: readonly string[] }
  | { readonly ok: false; readonly why: string };

const workload = (kind: "Deployment" | "DaemonSet"): Resource<KubernetesObject> => ({
  apiVersion: "apps/v1",
  kind,
  plural: `${kind.toLowerCase()}s`,
  namespaced: true,
});

const ownKinds: readonly Resource<KubernetesObject>[] = [
  ingressClasses,
  ingresses,
  services,
  endpointSlices,
  secrets,
  configMaps,
  namespaces,
];

/** Helm keeps megabytes of releases in Secrets. */
const filters: Readonly<Record<string, string>> = { Secret: "type!=helm.sh/release.v1" };
const ofHelm = { fieldSelector: "type=helm.sh/release.v1", labelSelector: "owner=helm,status=deployed", limit: 20 };

/** What is read beside a controller's objects: Deployments and DaemonSets, and Helm's releases. */
export type More = "objects" | "workloads" | "releases";

const pageSize = 500;

export async function readCluster(
  flags: Flags,
  context: string | undefined,
  env: NodeJS.ProcessEnv,
  wanted: More = "objects",
): Promise<ReadCluster> {
  const kubeconfig = flags.kubeconfig ?? env.KUBECONFIG ?? `${env.HOME}/.kube/config`;
  const found = await credentialsOf({ ...flags, kubeconfig, context }, env);
  if (!found.ok) return found;
  const client = new Client(found.credentials, { userAgent: `sluice/${build.release}` });
  try {
    const more = wanted !== "objects" ? [workload("Deployment"), workload("DaemonSet")] : [];
    const files = new Map<string, Manifest>();
    const notes: string[] = [];
    const others = await otherKinds(client, new AbortController().signal);
    const alone = [...ownKinds, ...more, ...others].map((kind) => [kind]);
    for (const versions of [...alone, ...gatewayKinds]) {
      const listed = await newestOf(client, versions, flags);
      if (listed === undefined) continue;
      if (!listed.ok && listed.fatal) return { ok: false, why: listed.why };
      if (!listed.ok) notes.push(listed.why);
      else files.set(`${versions[0]!.plural} of ${versions[0]!.apiVersion} in the cluster`, manifestOf(listed.items));
    }
    if (wanted === "releases") {
      const listed = await listAll(client, secrets, flags, ofHelm);
      if (listed.ok) files.set("releases of the cluster", { ...manifestOf([]), others: releasesIn(listed.items) });
      else notes.push(`Helm's releases: ${listed.why}`);
    }
    return { ok: true, files, server: found.credentials.server.host, notes };
  } finally {
    client.close();
  }
}

type Listed =
  | { readonly ok: true; readonly items: readonly KubernetesObject[] }
  | { readonly ok: false; readonly fatal: boolean; readonly code: number; readonly why: string };

/**
 * Lists the objects in the first version that the API server has; undefined if it has none, as
 * most clusters have no Gateways.
 */
async function newestOf(
  client: Client,
  versions: readonly Resource<KubernetesObject>[],
  flags: Flags,
): Promise<Listed | undefined> {
  for (const version of versions) {
    const listed = await listAll(client, version, flags);
    if (listed.ok || listed.code !== 404) return listed;
  }
  return undefined;
}

async function listAll(
  client: Client,
  kind: Resource<KubernetesObject>,
  flags: Flags,
  selected: { readonly fieldSelector?: string | undefined; readonly labelSelector?: string; readonly limit: number } = {
    fieldSelector: filters[kind.kind],
    limit: pageSize,
  },
): Promise<Listed> {
  const items: KubernetesObject[] = [];
  const [home] = (flags.configmap ?? "").split("/");
  const { watchNamespace } = flags;
  const places: (string | undefined)[] =
    watchNamespace === undefined || !kind.namespaced ? [undefined] : [watchNamespace];
  if (places[0] !== undefined && kind.kind === "ConfigMap" && home && home !== places[0]) places.push(home);
  for (const namespace of places) {
    let next = "";
    do {
      const query = { namespace, ...selected, ...(next === "" ? {} : { continue: next }) };
      const answer = await client.list(kind, query, new AbortController().signal);
      if (!answer.ok) {
        const { code, message } = answer.failure;
        const why = `${kind.plural} cannot be read: ${message}`;
        return { ok: false, fatal: kind.kind === "Ingress" || code === 0 || code === 401, code, why };
      }
      items.push(...answer.value.items);
      next = answer.value.continue;
    } while (next !== "");
  }
  return { ok: true, items };
}

const nowhere = { line: 1, column: 1 } as const;
const placeOf = () => nowhere;

/**
 * Returns Helm's releases with their charts and the values that users gave. A release is JSON,
 * packed by gzip, in base64 inside of that of the Secret.
 */
export function releasesIn(items: readonly KubernetesObject[]): OtherObject[] {
  return (items as readonly Secret[]).flatMap(({ metadata: { namespace }, data }): OtherObject[] => {
    try {
      const packed = Buffer.from(String(data?.release), "base64").toString("latin1");
      const { name, config, chart } = JSON.parse(String(gunzipSync(Buffer.from(packed, "base64"))));
      const value = {
        kind: "release",
        metadata: { namespace, name },
        chart: chart.metadata.name,
        values: config ?? {},
      };
      return [{ value, placeOf }];
    } catch {
      return [];
    }
  });
}

function manifestOf(items: readonly KubernetesObject[]): Manifest {
  const isOurs = (object: KubernetesObject) => Object.hasOwn(tableOf, object.kind);
  const objects = items.filter(isOurs).map((object): ManifestObject => {
    return { kind: object.kind as WatchedKind, key: keyOf(object), placeOf, object };
  });
  const others = items
    .filter((object) => !isOurs(object))
    .map((object): OtherObject => ({ value: { ...object } as OtherObject["value"], placeOf }));
  return { objects, others, faults: [], complete: true };
}
