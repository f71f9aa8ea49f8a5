/** A small cluster in memory for a Subject: Services with their endpoints, and Ingresses in front of them. */
import type { Ingress, KubernetesObject } from "../../../src/model/objects.ts";
import { backedService } from "../../support/sketch.ts";

const prefix = "nginx.ingress.kubernetes.io/";

/** The Service and its EndpointSlice; `port` is what endpoints listen on. */
export const service = (name: string, addresses: readonly string[], port = 8080): readonly KubernetesObject[] =>
  backedService({ name, addresses, port });

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
