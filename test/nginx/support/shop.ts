/** A small cluster in memory for a Subject: Services with their endpoints, and Ingresses in front of them. */
import type { Ingress, KubernetesObject } from "../../../src/model/objects.ts";

const prefix = "nginx.ingress.kubernetes.io/";

export const ingressClass = {
  apiVersion: "networking.k8s.io/v1",
  kind: "IngressClass",
  metadata: { name: "nginx" },
  spec: { controller: "k8s.io/ingress-nginx" },
} as KubernetesObject;

/** The Service and its EndpointSlice; `port` is what endpoints listen on. */
export function service(name: string, addresses: readonly string[], port = 8080): KubernetesObject[] {
  const namespace = "ns";
  const slice = { name: `${name}-1`, namespace, labels: { "kubernetes.io/service-name": name } };
  return [
    {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name, namespace },
      spec: { ports: [{ port: 80, targetPort: port }] },
    },
    {
      apiVersion: "discovery.k8s.io/v1",
      kind: "EndpointSlice",
      metadata: slice,
      addressType: "IPv4",
      endpoints: addresses.map((address) => ({ addresses: [address] })),
      ports: [{ port }],
    },
  ] as unknown as KubernetesObject[];
}

/** One host with `/`, to port 80 of a Service. */
export function ingress(
  name: string,
  host: string,
  to: string,
  annotations: Readonly<Record<string, string>> = {},
): Ingress {
  const backend = { service: { name: to, port: { number: 80 } } };
  return {
    apiVersion: "networking.k8s.io/v1",
    kind: "Ingress",
    metadata: {
      name,
      namespace: "ns",
      uid: name,
      annotations: Object.fromEntries(Object.entries(annotations).map(([key, text]) => [prefix + key, text])),
    },
    spec: {
      ingressClassName: "nginx",
      rules: [{ host, http: { paths: [{ path: "/", pathType: "Prefix", backend }] } }],
    },
  };
}

/** The controller's own ConfigMap, as `startSubject` is told of it. */
export function settings(data: Readonly<Record<string, string>>): KubernetesObject {
  const metadata = { name: "ingress-nginx-controller", namespace: "ingress-nginx" };
  return { apiVersion: "v1", kind: "ConfigMap", metadata, data } as KubernetesObject;
}
