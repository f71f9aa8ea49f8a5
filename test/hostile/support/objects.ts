/** Objects of a small cluster, as the API server would store them: everything is in the namespace `ns` unless it says another. */
import type { ConfigMap, Ingress, KubernetesObject, Secret } from "../../../src/model/objects.ts";

export const prefix = "nginx.ingress.kubernetes.io";

export interface IngressWords {
  readonly name: string;
  readonly namespace?: string;
  readonly host?: string;
  readonly uid?: string;
  /** Day of the year 2026 on which it was made, from 1 to 28; the first when absent. */
  readonly day?: number;
  readonly paths?: readonly PathWords[];
  readonly annotations?: Readonly<Record<string, string>>;
  readonly spec?: Ingress["spec"];
}
export type PathWords = readonly [path: string, type?: "Prefix" | "Exact" | "ImplementationSpecific", service?: string];

export function ingress(words: IngressWords): Ingress {
  const { name, namespace = "ns", host = `${name}.example`, uid = `${namespace}-${name}`, paths = [["/"]] } = words;
  const creationTimestamp = `2026-01-${String(words.day ?? 1).padStart(2, "0")}T00:00:00Z`;
  const prefixed = Object.entries(words.annotations ?? {}).map(([key, text]) => [`${prefix}/${key}`, text]);
  const annotations = Object.fromEntries(prefixed);
  const backends = paths.map(([path, pathType = "Prefix", service = "web"]) => ({
    path,
    pathType,
    backend: { service: { name: service, port: { number: 80 } } },
  }));
  return {
    apiVersion: "networking.k8s.io/v1",
    kind: "Ingress",
    metadata: { name, namespace, uid, annotations, creationTimestamp },
    spec: { ingressClassName: "nginx", rules: [{ host, http: { paths: backends } }], ...words.spec },
  };
}

export function secret(name: string, texts: Readonly<Record<string, string>>, namespace = "ns"): Secret {
  const encoded = Object.entries(texts).map(([key, text]) => [key, Buffer.from(text).toString("base64")]);
  const metadata = { name, namespace };
  return { apiVersion: "v1", kind: "Secret", metadata, data: Object.fromEntries(encoded) };
}

export function configMap(name: string, data: Readonly<Record<string, string>>, namespace = "ns"): ConfigMap {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace }, data };
}

/** The controller's own. */
export const settings = (data: Readonly<Record<string, string>>): ConfigMap =>
  configMap("ingress-nginx-controller", data, "ingress-nginx");

export const ingressClass: KubernetesObject = {
  ...{ apiVersion: "networking.k8s.io/v1", kind: "IngressClass", metadata: { name: "nginx" } },
  ...{ spec: { controller: "k8s.io/ingress-nginx" } },
};

/** A Service of one port 80 and where it leads. */
export function service(name: string, address: string, port: number, namespace = "ns"): KubernetesObject[] {
  const labels = { "kubernetes.io/service-name": name };
  const ports = [{ name: "http", port: 80, targetPort: port, protocol: "TCP" }];
  const slice = { addressType: "IPv4", endpoints: [{ addresses: [address] }], ports: [{ name: "http", port }] };
  return [
    { apiVersion: "v1", kind: "Service", metadata: { name, namespace }, spec: { ports } } as KubernetesObject,
    {
      ...{ apiVersion: "discovery.k8s.io/v1", kind: "EndpointSlice" },
      ...{ metadata: { name: `${name}-1`, namespace, labels }, ...slice },
    } as KubernetesObject,
  ];
}
