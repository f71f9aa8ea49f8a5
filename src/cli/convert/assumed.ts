/**
 * Objects that a folder of Ingresses often does not hold, because they are kept elsewhere: Services
 * and Secrets with certificates. Where it has none of a kind at all, those that Ingresses name are
 * taken to exist.
 */
import { generateKeyPairSync } from "node:crypto";
import { issued } from "../../certificates/issue.ts";
import type { Ingress, IngressBackend, KubernetesObject } from "../../model/objects.ts";
import type { ObjectChange, Snapshot } from "../../model/snapshot.ts";

export interface Assumed {
  readonly objects: readonly ObjectChange[];
  /** A sentence for each kind. */
  readonly notes: readonly string[];
}

export function assumedFor({ ingresses, services, secrets }: Snapshot, now: Date): Assumed {
  const all = [...ingresses.values()];
  const ofServices = services.size > 0 ? [] : servicesOf(all);
  const ofSecrets = secrets.size > 0 ? [] : secretsOf(all, now);
  const note = (objects: readonly unknown[], what: string): readonly string[] =>
    objects.length === 0 ? [] : [`it has no ${what}, so those that Ingresses name are taken to exist`];
  return {
    objects: [...ofServices, ...ofSecrets],
    notes: [...note(ofServices, "Services"), ...note(ofSecrets, "Secrets")],
  };
}

function servicesOf(all: readonly Ingress[]): readonly ObjectChange[] {
  const ports = new Map<string, Set<number>>();
  for (const { metadata, spec } of all) {
    const paths = (spec?.rules ?? []).flatMap(({ http }) => http?.paths ?? []);
    const backends = [...paths.map(({ backend }) => backend), ...(spec?.defaultBackend ? [spec.defaultBackend] : [])];
    for (const { service } of backends as readonly IngressBackend[]) {
      const number = service?.port?.number;
      if (service === undefined || number === undefined) continue;
      const key = `${metadata.namespace ?? "default"}/${service.name}`;
      ports.set(key, (ports.get(key) ?? new Set()).add(number));
    }
  }
  return [...ports].map(([key, numbers]) => {
    const own = [...numbers].map((port) => ({ name: `port-${port}`, port }));
    return changeOf({
      apiVersion: "v1",
      kind: "Service",
      metadata: nameIn(key),
      spec: { ports: own },
    } as KubernetesObject);
  });
}

/** One key for all of them, and a certificate for the hosts of each. */
function secretsOf(all: readonly Ingress[], now: Date): readonly ObjectChange[] {
  const hostsOf = new Map<string, Set<string>>();
  for (const { metadata, spec } of all) {
    const own = (spec?.rules ?? []).flatMap(({ host }) => host ?? []);
    for (const { secretName = "", hosts = [] } of spec?.tls ?? []) {
      if (secretName === "") continue;
      const key = `${metadata.namespace ?? "default"}/${secretName}`;
      const known = hostsOf.get(key) ?? new Set<string>();
      for (const host of [...hosts, ...own]) known.add(host.toLowerCase());
      hostsOf.set(key, known);
    }
  }
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const key = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  const name = { organization: "Sluice", commonName: "stands for a certificate of the cluster" };
  return [...hostsOf].map(([secret, names]) => {
    const certificate = issued({
      subject: name,
      issuer: name,
      key: privateKey,
      signingKey: privateKey,
      notBefore: now,
      notAfter: new Date(now.getTime() + yearMs),
      use: { kind: "server", names: [...names] },
    });
    const data = { "tls.crt": base64(certificate), "tls.key": base64(key) };
    const object = { apiVersion: "v1", kind: "Secret", type: "kubernetes.io/tls", metadata: nameIn(secret), data };
    return changeOf(object as KubernetesObject);
  });
}

const yearMs = 365 * 24 * 3600 * 1000;
const base64 = (text: string): string => Buffer.from(text).toString("base64");

function nameIn(key: string): { readonly namespace: string; readonly name: string } {
  const [namespace = "", name = ""] = key.split("/");
  return { namespace, name };
}

const changeOf = (object: KubernetesObject): ObjectChange => {
  const { namespace, name } = object.metadata;
  return { kind: object.kind as ObjectChange["kind"], key: `${namespace}/${name}`, object };
};
