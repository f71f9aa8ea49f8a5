/** The two kinds of this controller: its own Foo, and the Deployment that a Foo describes. */
import { type KubernetesObject, resource } from "../../src/kube/index.ts";

export interface Foo extends KubernetesObject {
  readonly spec: { readonly deploymentName: string; readonly replicas: number };
  readonly status?: { readonly availableReplicas?: number };
}

export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
}

export interface Deployment extends KubernetesObject {
  readonly metadata: KubernetesObject["metadata"] & { readonly ownerReferences?: readonly OwnerReference[] };
  readonly spec?: { readonly replicas?: number; readonly selector: unknown; readonly template: unknown };
  readonly status?: { readonly availableReplicas?: number };
}

export const foos = resource<Foo>({
  apiVersion: "samplecontroller.example.com/v1",
  kind: "Foo",
  plural: "foos",
  namespaced: true,
});

export const deployments = resource<Deployment>({
  apiVersion: "apps/v1",
  kind: "Deployment",
  plural: "deployments",
  namespaced: true,
});

/**
 * Returns the Deployment that `foo` describes. The Foo owns it, so Kubernetes deletes both
 * together.
 */
export function deploymentFor({ apiVersion, kind, metadata, spec }: Foo): Deployment {
  const labels = { app: "nginx", controller: metadata.name };
  const owner = { apiVersion, kind, name: metadata.name, uid: metadata.uid ?? "", controller: true };
  return {
    apiVersion: deployments.apiVersion,
    kind: deployments.kind,
    metadata: { namespace: metadata.namespace as string, name: spec.deploymentName, ownerReferences: [owner] },
    spec: {
      replicas: spec.replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "nginx", image: "nginx:latest" }] } },
    },
  };
}

export function isOwnedBy({ metadata }: Deployment, foo: Foo): boolean {
  return metadata.ownerReferences?.some(({ controller, uid }) => controller && uid === foo.metadata.uid) ?? false;
}
