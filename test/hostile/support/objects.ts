/**
 * Objects of a small cluster, as the API server would store them, in the namespace `ns` by default.
 */
import type { ConfigMap, Ingress, KubernetesObject, Secret } from "../../../src/core/model/objects.ts";
import { type IngressWords as PlainWords, ingress as plainIngress } from "../../support/ingress.ts";

export { ingressClass, prefix } from "../../support/ingress.ts";

export interface IngressWords extends Omit<PlainWords, "paths" | "metadata"> {
  readonly uid?: string;
  /** The day of January 2026 on which it was created, from 1 to 28; by default the first. */
  readonly day?: number;
  readonly paths?: readonly PathWords[];
}
export type PathWords = readonly [path: string, type?: "Prefix" | "Exact" | "ImplementationSpecific", service?: string];

/** Returns an Ingress, by default for the host `NAME.example`. */
export function ingress({ day = 1, uid, paths = [["/"]], annotations = {}, ...words }: IngressWords): Ingress {
  const { name, namespace = "ns", host = `${name}.example` } = words;
  const creationTimestamp = `2026-01-${String(day).padStart(2, "0")}T00:00:00Z`;
  return plainIngress({
    ...words,
    host,
    annotations,
    paths: paths.map(([path, type, service]) => [path, service, type]),
    metadata: { uid: uid ?? `${namespace}-${name}`, creationTimestamp },
  });
}

export function secret(name: string, texts: Readonly<Record<string, string>>, namespace = "ns"): Secret {
  const encoded = Object.entries(texts).map(([key, text]) => [key, Buffer.from(text).toString("base64")]);
  const metadata = { name, namespace };
  return { apiVersion: "v1", kind: "Secret", metadata, data: Object.fromEntries(encoded) };
}

export function configMap(name: string, data: Readonly<Record<string, string>>, namespace = "ns"): ConfigMap {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace }, data };
}

/** Returns the controller's own ConfigMap. */
export const settings = (data: Readonly<Record<string, string>>): ConfigMap =>
  configMap("ingress-nginx-controller", data, "ingress-nginx");

/** Returns a Service with the port 80, and its endpoints. */
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
