/**
 * Adds objects that a folder of Ingresses often lacks, because they are kept elsewhere: Services,
 * and Secrets with certificates. If the folder has no object of such a kind, those that
 * Ingresses and flags name are assumed to exist.
 */
import { generateKeyPairSync } from "node:crypto";
import type { Flags } from "../../controller/flags.ts";
import { selfSigned } from "../../core/certificates/issue.ts";
import type { Ingress, IngressBackend, KubernetesObject } from "../../core/model/objects.ts";
import type { ObjectChange, Snapshot } from "../../core/model/snapshot.ts";

export interface Assumed {
  readonly objects: readonly ObjectChange[];
  /** One sentence for each kind that is assumed. */
  readonly notes: readonly string[];
}

/** Returns the objects that are assumed. */
export function assumedFor(
  { ingresses, services, secrets }: Snapshot,
  { annotationsPrefix: prefix, defaultSslCertificate }: Pick<Flags, "annotationsPrefix" | "defaultSslCertificate">,
  now: Date,
): Assumed {
  const all = [...ingresses.values()];
  const ofServices = services.size > 0 ? [] : servicesOf(all);
  const ofSecrets =
    secrets.size > 0
      ? []
      : [...passwordsOf(all, prefix), ...certificatesOf(all, { prefix, usual: defaultSslCertificate }, now)];
  const note = (objects: readonly unknown[], what: string, who = "Ingresses"): readonly string[] =>
    objects.length === 0 ? [] : [`it has no ${what}, so those that ${who} name are assumed to exist`];
  const whoOfSecrets = defaultSslCertificate === undefined ? "Ingresses" : "Ingresses and --default-ssl-certificate";
  return {
    objects: [...ofServices, ...ofSecrets],
    notes: [...note(ofServices, "Services"), ...note(ofSecrets, "Secrets", whoOfSecrets)],
  };
}

function servicesOf(all: readonly Ingress[]): readonly ObjectChange[] {
  const ports = new Map<string, Set<number>>();
  for (const { metadata, spec } of all) {
    const paths = (spec?.rules ?? []).flatMap(({ http }) => http?.paths ?? []);
    const backends = [...paths.map(({ backend }) => backend), ...(spec?.defaultBackend ? [spec.defaultBackend] : [])];
    for (const { service } of backends as readonly IngressBackend[]) {
      const number = service?.port?.number;
      if (service === undefined) continue;
      const key = `${metadata.namespace ?? "default"}/${service.name}`;
      const known = ports.get(key) ?? new Set();
      ports.set(key, number === undefined ? known : known.add(number));
    }
  }
  return [...ports].map(([key, numbers]) => {
    const own = [...numbers].map((port) => ({ name: `port-${port}`, port }));
    return changeOf({
      apiVersion: "v1",
      kind: "Service",
      metadata: nameIn(key),
      // If an Ingress names a port, its number is not known.
      spec: own.length === 0 ? {} : { ports: own },
    } as KubernetesObject);
  });
}

/** Returns Secrets with passwords, because without them no request would pass. */
function passwordsOf(all: readonly Ingress[], prefix: string): readonly ObjectChange[] {
  return [...secretsNamed(all, `${prefix}/auth-secret`)].map(
    ([
      key,
      {
        metadata: { annotations },
      },
    ]) => {
      const isMap = annotations?.[`${prefix}/auth-secret-type`] === "auth-map";
      const data = isMap ? { probe: base64("{PLAIN}probe") } : { auth: base64("probe:{PLAIN}probe\n") };
      return changeOf({ apiVersion: "v1", kind: "Secret", metadata: nameIn(key), data } as KubernetesObject);
    },
  );
}

/**
 * Returns the Secrets that the annotation names, by `namespace/name`, each with an Ingress that
 * names it.
 */
function secretsNamed(all: readonly Ingress[], annotation: string): ReadonlyMap<string, Ingress> {
  return new Map(
    all.flatMap((ingress) => {
      const { namespace = "default", annotations } = ingress.metadata;
      const named = annotations?.[annotation] ?? "";
      return named === "" ? [] : [[named.includes("/") ? named : `${namespace}/${named}`, ingress] as const];
    }),
  );
}

/**
 * Returns Secrets with certificates; `usual` is the Secret for hosts without one of their own. All
 * of them share one key.
 */
function certificatesOf(
  all: readonly Ingress[],
  { prefix, usual }: { readonly prefix: string; readonly usual: string | undefined },
  now: Date,
): readonly ObjectChange[] {
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
  // The usual Secret, and those for connections to backends, have no host.
  for (const key of [
    ...secretsNamed(all, `${prefix}/proxy-ssl-secret`).keys(),
    ...(usual === undefined ? [] : [usual]),
  ])
    if (!hostsOf.has(key)) hostsOf.set(key, new Set());
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const key = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  const name = { organization: "Sluice", commonName: "stands for a certificate of the cluster" };
  const keyText = base64(key);
  return [...hostsOf].map(([secret, names]) => {
    const certificate = base64(selfSigned(name, privateKey, [...names], now));
    const data = { "tls.crt": certificate, "tls.key": keyText, "ca.crt": certificate };
    const object = { apiVersion: "v1", kind: "Secret", type: "kubernetes.io/tls", metadata: nameIn(secret), data };
    return changeOf(object as KubernetesObject);
  });
}

const base64 = (text: string): string => Buffer.from(text).toString("base64");

function nameIn(key: string): { readonly namespace: string; readonly name: string } {
  const [namespace = "", name = ""] = key.split("/");
  return { namespace, name };
}

const changeOf = (object: KubernetesObject): ObjectChange => {
  const { namespace, name } = object.metadata;
  return { kind: object.kind as ObjectChange["kind"], key: `${namespace}/${name}`, object };
};
