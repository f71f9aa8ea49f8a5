/** Writes objects of the served kinds through the runtime's client, faster than kubectl. */

import type { KubernetesObject } from "../../../src/core/model/objects.ts";
import { type Client, type Resource, resource } from "../../../src/kube/index.ts";

const never = new AbortController().signal;

const kinds: Readonly<Record<string, Resource<KubernetesObject>>> = Object.fromEntries(
  [
    ["Namespace", "v1", "namespaces"] as const,
    ["Ingress", "networking.k8s.io/v1", "ingresses"] as const,
    ["Service", "v1", "services"] as const,
    ["EndpointSlice", "discovery.k8s.io/v1", "endpointslices"] as const,
    ["Secret", "v1", "secrets"] as const,
    ["ConfigMap", "v1", "configmaps"] as const,
  ].map(([kind, apiVersion, plural]) => [
    kind,
    resource({ apiVersion, kind, plural, namespaced: kind !== "Namespace" }),
  ]),
);

const nameOf = ({ metadata: { namespace, name } }: KubernetesObject) => ({
  ...(namespace === undefined ? {} : { namespace }),
  name,
});

/** Creates or changes the object, without the fields that the API server adds. */
export async function put(client: Client, object: object): Promise<void> {
  const { metadata, ...rest } = object as KubernetesObject;
  const { uid: _uid, resourceVersion: _version, creationTimestamp: _created, ...own } = metadata;
  const patch = { type: "apply", body: { ...rest, metadata: own }, fieldManager: "test", force: true } as const;
  const answer = await client.patch(kinds[rest.kind]!, nameOf(object as KubernetesObject), patch, never);
  if (!answer.ok) throw new Error(`${rest.kind} ${metadata.name}: ${answer.failure.message}`);
}

/** Deletes the object, if it is there. */
export async function remove(client: Client, object: object): Promise<void> {
  const { kind, metadata } = object as KubernetesObject;
  const answer = await client.delete(kinds[kind]!, nameOf(object as KubernetesObject), never);
  if (!answer.ok && answer.failure.code !== 404) throw new Error(`${kind} ${metadata.name}: ${answer.failure.message}`);
}
