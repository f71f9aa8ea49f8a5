/** A real API server full of plain hosts, with `sluice run` beside it. */

import type { KubernetesObject } from "../../../src/core/model/objects.ts";
import { type Client, Client as KubernetesClient, kubeConfigCredentials, resource } from "../../../src/kube/index.ts";
import { type Cluster, startCluster } from "../../e2e/support/cluster.ts";
import { installPod } from "../../e2e/support/sluice.ts";
import { ingress, service, slice } from "./hosts.ts";

const never = new AbortController().signal;
export const kinds = {
  Ingress: resource({ apiVersion: "networking.k8s.io/v1", kind: "Ingress", plural: "ingresses", namespaced: true }),
  Service: resource({ apiVersion: "v1", kind: "Service", plural: "services", namespaced: true }),
  EndpointSlice: resource({
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    plural: "endpointslices",
    namespaced: true,
  }),
} as const;

export interface FilledCluster {
  readonly cluster: Cluster;
  readonly client: Client;
  create(...objects: readonly object[]): Promise<void>;
  /** Replaces a slice as the controller of EndpointSlices does. */
  replace(slice: object): Promise<void>;
  /** Changes the path of a host. */
  addPath(at: number, path: string): Promise<void>;
  stop(): Promise<void>;
}

export async function startFilledCluster(): Promise<FilledCluster> {
  // A /16 has too few cluster IPs left for ten thousand Services to find one quickly.
  const cluster = await startCluster({ apiServerFlags: ["--service-cluster-ip-range=10.96.0.0/12"] });
  await installPod(cluster);
  await cluster.kubectl(["create", "namespace", "shop"]);
  const client = new KubernetesClient(await kubeConfigCredentials([cluster.kubeconfig()]));
  const kindOf = (object: object) => kinds[(object as KubernetesObject).kind as keyof typeof kinds];
  return {
    cluster,
    client,
    create: async (...objects) => {
      for (const object of objects) {
        const answer = await client.create(kindOf(object), bare(object), never);
        if (!answer.ok) throw new Error(answer.failure.message);
      }
    },
    replace: async (slice) => {
      const object = bare(slice);
      const { name, namespace } = object.metadata;
      const patch = { type: "merge", body: { endpoints: (slice as { endpoints: unknown }).endpoints } } as const;
      const answer = await client.patch(kinds.EndpointSlice, { name, namespace: namespace! }, patch, never);
      if (!answer.ok) throw new Error(answer.failure.message);
    },
    addPath: async (at, path) => {
      const rule = ingress(at).spec.rules[0]!;
      const paths = [...rule.http.paths, { ...rule.http.paths[0]!, path }];
      const body = { spec: { rules: [{ ...rule, http: { paths } }] } };
      const name = { name: `app-${at}`, namespace: "shop" };
      const answer = await client.patch(kinds.Ingress, name, { type: "merge", body }, never);
      if (!answer.ok) throw new Error(answer.failure.message);
    },
    stop: async () => {
      client.close();
      await cluster.stop();
    },
  };
}

/** The objects of one host. */
export function host(at: number, endpoint: { readonly address: string; readonly port: number }): object[] {
  return [service(at), slice(at, [endpoint.address], endpoint.port), ingress(at)];
}

/** Without the fields that the API server adds. */
function bare(object: object): KubernetesObject {
  const { metadata, ...rest } = object as KubernetesObject;
  const { uid: _uid, resourceVersion: _version, creationTimestamp: _created, ...kept } = metadata;
  return { ...rest, metadata: kept } as KubernetesObject;
}

/** The number of requests at a time. */
export async function inParallel<T>(
  items: readonly T[],
  atOnce: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const left = items.values();
  const one = async (): Promise<void> => {
    for (const item of left) await work(item);
  };
  await Promise.all(Array.from({ length: atOnce }, one));
}
