/**
 * The objects that every case finds: the Services and Secrets of its namespace, and objects that a
 * controller expects in a cluster. `none` deliberately has no endpoint; `errors` answers with the
 * status in a request's X-Code.
 */
import type { KubernetesObject } from "../../src/core/model/objects.ts";
import type { Pki } from "../support/pki.ts";
import type { Settings } from "./case.ts";

const addressesOf = {
  echo: ["192.0.2.10"],
  "echo-a": ["192.0.2.11"],
  "echo-b": ["192.0.2.12"],
  "echo-c": ["192.0.2.13"],
  pair: ["192.0.2.14", "192.0.2.15"],
  none: [],
  auth: ["192.0.2.20"],
  errors: ["192.0.2.30"],
} as const;

/**
 * The addresses of echo backends: those above, some for the cases' own EndpointSlices, and one that
 * acts as a ClusterIP.
 */
export const backendAddresses: readonly string[] = [
  ...Array.from({ length: 10 }, (_, i) => `192.0.2.${10 + i}`),
  ...["192.0.2.20", "192.0.2.30", "10.96.77.77"],
];

/**
 * The namespace of Services that a flag may name (`--default-backend-service=sentinel/errors`)
 * before any case runs.
 */
const sentinelNamespace = "sentinel";
const controllerNamespace = "ingress-nginx";

/** Returns the objects that exist before the controller starts. */
export function clusterObjects(pki: Pki): readonly KubernetesObject[] {
  return [
    namespace(controllerNamespace),
    ingressClass,
    controllerConfigMap({}),
    namespace(sentinelNamespace),
    ...standardObjects(sentinelNamespace, pki),
  ];
}

const ingressClass = {
  apiVersion: "networking.k8s.io/v1",
  kind: "IngressClass",
  metadata: { name: "nginx" },
  spec: { controller: "k8s.io/ingress-nginx" },
};

export function controllerConfigMap(data: Settings): KubernetesObject & { readonly data: Settings } {
  const metadata = { name: "ingress-nginx-controller", namespace: controllerNamespace };
  return { apiVersion: "v1", kind: "ConfigMap", metadata, data };
}

export function namespace(name: string): KubernetesObject {
  return { apiVersion: "v1", kind: "Namespace", metadata: { name } };
}

export function standardObjects(inNamespace: string, pki: Pki): readonly KubernetesObject[] {
  const services = Object.entries(addressesOf).flatMap(([name, addresses]) => [
    service(name, inNamespace),
    endpointSlice(name, inNamespace, addresses),
  ]);
  const tls = "kubernetes.io/tls";
  const keyPair = (name: "tls" | "alt" | "client") => ({ "tls.crt": pki[name].certificate, "tls.key": pki[name].key });
  const ca = { "ca.crt": pki.ca.certificate };
  return [
    ...services,
    secret("tls", inNamespace, tls, keyPair("tls")),
    secret("alt-tls", inNamespace, tls, keyPair("alt")),
    secret("ca", inNamespace, "Opaque", ca),
    secret("client-tls", inNamespace, tls, { ...keyPair("client"), ...ca }),
  ];
}

function service(name: string, inNamespace: string) {
  const ports = [
    { name: "http", port: 80, targetPort: 8080 },
    { name: "https", port: 443, targetPort: 8443 },
  ];
  return { apiVersion: "v1", kind: "Service", metadata: { name, namespace: inNamespace }, spec: { ports } };
}

function endpointSlice(name: string, inNamespace: string, addresses: readonly string[]) {
  const labels = { "kubernetes.io/service-name": name };
  return {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: { name: `${name}-1`, namespace: inNamespace, labels },
    addressType: "IPv4",
    ports: [
      { name: "http", port: 8080, protocol: "TCP" },
      { name: "https", port: 8443, protocol: "TCP" },
    ],
    endpoints: addresses.map((address) => ({ addresses: [address], conditions: { ready: true } })),
  };
}

function secret(name: string, inNamespace: string, type: string, stringData: Readonly<Record<string, string>>) {
  return { apiVersion: "v1", kind: "Secret", metadata: { name, namespace: inNamespace }, type, stringData };
}
