/**
 * Small clusters for tests of `translate/`: an Ingress takes a few words, and everything is in the
 * namespace `ns`.
 */
import { type Certificate, noIdentity, SecretText } from "../../src/core/model/configuration.ts";
import {
  type ConfigMap,
  type Ingress,
  type KubernetesObject,
  keyOf,
  nameOf,
  type Secret,
} from "../../src/core/model/objects.ts";
import { emptySnapshot, type Snapshot, type WatchedKind, withObjects } from "../../src/core/model/snapshot.ts";
import { defaultSettings } from "../../src/core/settings/registry.ts";
import { noHostPolicy } from "../../src/core/sources/host-policy/policy.ts";
import { emptyInputs, type Inputs, type Turn } from "../../src/core/table/turn.ts";
import { type IngressWords, ingressClass, ingress as plainIngress } from "./ingress.ts";

export const fake: Certificate = {
  id: "fake",
  chain: "",
  key: new SecretText(""),
  notBefore: new Date(0),
  notAfter: new Date(0),
  names: [],
  identity: noIdentity,
  weakness: undefined,
  fingerprint: "",
};
export const put = (snapshot: Snapshot, ...objects: KubernetesObject[]) =>
  withObjects(
    snapshot,
    objects.map((object) => ({ kind: object.kind as WatchedKind, key: keyOf(object), object })),
  );
export { ingressClass };
export const base = put(emptySnapshot, ingressClass);

export interface Sketch extends Omit<IngressWords, "metadata"> {
  /** Its age in seconds before the first of January. */
  readonly age?: number;
}
/** Makes an Ingress in the namespace `ns`, with its name as its uid. */
export function ingress({ age = 0, annotations = {}, ...words }: Sketch): Ingress {
  const creationTimestamp = new Date(Date.UTC(2026, 0, 1) - age * 1000).toISOString();
  return plainIngress({ ...words, annotations, metadata: { uid: words.name, creationTimestamp } });
}
export const service = (name: string, port = 80) => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { name, namespace: "ns" },
  spec: { ports: [{ port }] },
});
export const slice = (name: string, ...addresses: string[]) => ({
  apiVersion: "discovery.k8s.io/v1",
  kind: "EndpointSlice",
  metadata: { name: `${name}-1`, namespace: "ns", labels: { "kubernetes.io/service-name": name } },
  addressType: "IPv4",
  endpoints: [{ addresses }],
  ports: [{ port: 8080 }],
});

/** A Service and its endpoints. */
export interface Backed {
  readonly name: string;
  readonly namespace?: string;
  readonly addresses: readonly string[];
  /** The port on which the endpoints listen. */
  readonly port?: number;
  readonly protocol?: "UDP";
}

/** Makes a Service with port 80, and its one EndpointSlice. */
export function backedService({
  name,
  namespace = "ns",
  addresses,
  port = 8080,
  ...of
}: Backed): readonly KubernetesObject[] {
  const labels = { "kubernetes.io/service-name": name };
  const objects = [
    {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name, namespace },
      spec: { ports: [{ port: 80, targetPort: port, ...of }] },
    },
    {
      apiVersion: "discovery.k8s.io/v1",
      kind: "EndpointSlice",
      metadata: { name: `${name}-1`, namespace, labels },
      addressType: "IPv4",
      endpoints: addresses.map((address) => ({ addresses: [address] })),
      ports: [{ port, ...of }],
    },
  ];
  return objects;
}

/**
 * Makes the turn from one Snapshot to the next with the default Settings; without `before` it is
 * the first turn.
 */
export const turnTo = (now: Snapshot, before?: Snapshot, more: Partial<Inputs> = {}): Turn => ({
  before: before === undefined ? emptyInputs : { ...emptyInputs, snapshot: before },
  now: { ...emptyInputs, ...more, snapshot: now },
  settings: defaultSettings,
  hostPolicy: noHostPolicy,
  afresh: before === undefined,
});

/** `key` is `namespace/name`. */
export function configMap(key: string, data: Readonly<Record<string, string>>): ConfigMap {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: nameOf(key), data };
}

/** Makes the Secret ns/tls with this pair in PEM. */
export function tlsSecret(chain: string, key: string): Secret {
  const base64 = (text: string) => Buffer.from(text).toString("base64");
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { namespace: "ns", name: "tls" },
    data: { "tls.crt": base64(chain), "tls.key": base64(key) },
  };
}
