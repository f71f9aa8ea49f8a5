/**
 * Clusters of plain hosts, as an API server gives them: host `at` has an Ingress, a Service and an
 * EndpointSlice of its own, and some have a certificate.
 */

import { type KubernetesObject, keyOf } from "../../../src/core/model/objects.ts";
import { emptySnapshot, type Snapshot, type WatchedKind, withObjects } from "../../../src/core/model/snapshot.ts";
import { makeCertificate, type OwnCertificate } from "../../../src/edges/admission/own-certificate.ts";

export const hostOf = (at: number): string => `host-${at}.example`;

const metadata = (kind: string, name: string, more: object = {}) => ({
  name,
  namespace: "shop",
  uid: `${kind}-${name}`,
  resourceVersion: "1",
  creationTimestamp: "2026-01-01T00:00:00Z",
  ...more,
});

export const ingressClass = {
  apiVersion: "networking.k8s.io/v1",
  kind: "IngressClass",
  metadata: { name: "nginx" },
  spec: { controller: "k8s.io/ingress-nginx" },
};

export interface HostOptions {
  readonly path?: string;
  /** Name of the Secret with its certificate. */
  readonly secret?: string;
  readonly annotations?: Readonly<Record<string, string>>;
}

export function ingress(at: number, { path = "/", secret, annotations = {} }: HostOptions = {}) {
  const backend = { service: { name: `app-${at}`, port: { number: 80 } } };
  return {
    apiVersion: "networking.k8s.io/v1",
    kind: "Ingress",
    metadata: metadata("ingress", `app-${at}`, { annotations }),
    spec: {
      ingressClassName: "nginx",
      ...(secret === undefined ? {} : { tls: [{ hosts: [hostOf(at)], secretName: secret }] }),
      rules: [{ host: hostOf(at), http: { paths: [{ path, pathType: "Prefix", backend }] } }],
    },
  };
}

export function service(at: number) {
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: metadata("service", `app-${at}`),
    spec: { ports: [{ name: "http", port: 80, targetPort: 8080 }], selector: { app: `app-${at}` } },
  };
}

export function slice(at: number, addresses: readonly string[], port = 8080) {
  return {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: metadata("slice", `app-${at}-1`, { labels: { "kubernetes.io/service-name": `app-${at}` } }),
    addressType: "IPv4",
    endpoints: addresses.map((address) => ({ addresses: [address], conditions: { ready: true, serving: true } })),
    ports: [{ name: "http", port, protocol: "TCP" }],
  };
}

/** A Secret with a new pair for the host. */
export async function secret(at: number): Promise<KubernetesObject> {
  return secretOf(at, await makeCertificate([hostOf(at)], new Date()));
}

/** Returns the Secret of the host, with this pair in PEM. */
export function secretOf(at: number, { cert, key }: Pick<OwnCertificate, "cert" | "key">): KubernetesObject {
  const base64 = (text: string) => Buffer.from(text).toString("base64");
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: metadata("secret", `tls-${at}`),
    type: "kubernetes.io/tls",
    data: { "tls.crt": base64(cert), "tls.key": base64(key) },
  } as KubernetesObject;
}

export const changed = (snapshot: Snapshot, ...objects: readonly object[]): Snapshot =>
  withObjects(
    snapshot,
    (objects as readonly KubernetesObject[]).map((object) => ({
      kind: object.kind as WatchedKind,
      key: keyOf(object),
      object,
    })),
  );

/** The number of hosts that have a certificate of their own. */
export const certificatesAmong = (hosts: number): number => Math.min(2_000, hosts / 5);

export function secretsOf(count: number): Promise<readonly KubernetesObject[]> {
  return Promise.all(Array.from({ length: count }, (_, at) => secret(at)));
}

/** Returns a cluster of `hosts` hosts. The first ones have the `secrets` with TLS. */
export function plainHosts(hosts: number, secrets: readonly KubernetesObject[] = []): Snapshot {
  const all = Array.from({ length: hosts }, (_, at) => [
    ingress(at, at < secrets.length ? { secret: `tls-${at}` } : {}),
    service(at),
    slice(at, [`10.${(at >> 14) & 255}.${(at >> 6) & 255}.${(at & 63) + 1}`]),
  ]);
  const flat = [ingressClass, ...secrets, ...all.flat()];
  return withObjects(
    emptySnapshot,
    (flat as KubernetesObject[]).map((object) => ({ kind: object.kind as WatchedKind, key: keyOf(object), object })),
  );
}

export interface Files {
  readonly hosts: number;
  /** TLS Secrets of the first hosts. */
  readonly secrets?: readonly KubernetesObject[];
  /** The address to which every host's Service leads. */
  readonly endpoint: { readonly address: string; readonly port: number };
  /** The ConfigMap ingress-nginx/ingress-nginx-controller. */
  readonly settings?: Readonly<Record<string, string>>;
}

/**
 * Returns the hosts as files for `sluice serve`, with many objects in a file, as JSON, which is
 * valid YAML.
 */
export function filesOf({ hosts, endpoint, secrets = [], settings = {} }: Files): Record<string, string> {
  const all: Record<string, string> = { "first.yaml": fileOf([ingressClass]), "settings.yaml": settingsFile(settings) };
  const of = (at: number) =>
    at < secrets.length ? [ingress(at, { secret: `tls-${at}` }), secrets[at]!] : [ingress(at)];
  for (let from = 0; from < hosts; from += 1_000) {
    const some = Array.from({ length: Math.min(1_000, hosts - from) }, (_, at) => from + at);
    all[`hosts-${from}.yaml`] = fileOf(
      some.flatMap((at) => [...of(at), service(at), slice(at, [endpoint.address], endpoint.port)]),
    );
  }
  return all;
}

/** The file `settings.yaml`. */
export function settingsFile(data: Readonly<Record<string, string>>): string {
  const metadata = { name: "ingress-nginx-controller", namespace: "ingress-nginx" };
  return fileOf([{ apiVersion: "v1", kind: "ConfigMap", metadata, data }]);
}

export const settingsFlag = "--configmap=ingress-nginx/ingress-nginx-controller";

export const fileOf = (objects: readonly object[]): string => objects.map((one) => JSON.stringify(one)).join("\n---\n");
