/**
 * Builds Ingresses for all suites. Tests pass a few values, and the defaults are the same
 * everywhere.
 */
import type { Ingress } from "../../src/core/model/objects.ts";

export const prefix = "nginx.ingress.kubernetes.io";

export interface IngressWords {
  readonly name: string;
  /** The namespace; `ns` if absent. */
  readonly namespace?: string;
  /** The host of the rule; if absent, the rule is for all hosts. */
  readonly host?: string | undefined;
  /**
   * The paths; `/` to the Service `web` if absent. All ports are 80, and a path is a Prefix unless
   * it has another type.
   */
  readonly paths?: readonly PathWords[];
  /** Annotations without their prefix. */
  readonly annotations?: Readonly<Record<string, string>>;
  /** The class; `nginx` if absent. With an empty text the Ingress names no class. */
  readonly ingressClass?: string;
  /** The Secret with the certificate of the host. */
  readonly tls?: string | undefined;
  /** Further fields that the API server has added. */
  readonly metadata?: Partial<Omit<Ingress["metadata"], "name" | "namespace" | "annotations">>;
  /** Fields that replace those above. */
  readonly spec?: Ingress["spec"];
}
export type PathWords = readonly [path: string, service?: string | undefined, pathType?: string | undefined];

/** Annotations with their prefix. */
export const prefixed = (annotations: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(annotations).map(([key, text]) => [`${prefix}/${key}`, text]));

export function ingress(words: IngressWords): Ingress & { readonly spec: NonNullable<Ingress["spec"]> } {
  const { name, namespace = "ns", host, paths = [["/"]], annotations, ingressClass = "nginx", tls } = words;
  const http = {
    paths: paths.map(([path, service = "web", pathType = "Prefix"]) => ({
      path,
      pathType: pathType as "Prefix",
      backend: { service: { name: service, port: { number: 80 } } },
    })),
  };
  return {
    apiVersion: "networking.k8s.io/v1",
    kind: "Ingress",
    metadata: {
      name,
      namespace,
      ...(annotations === undefined ? {} : { annotations: prefixed(annotations) }),
      ...words.metadata,
    },
    spec: {
      ...(ingressClass === "" ? {} : { ingressClassName: ingressClass }),
      ...(tls === undefined ? {} : { tls: [{ ...(host === undefined ? {} : { hosts: [host] }), secretName: tls }] }),
      rules: [{ ...(host === undefined ? {} : { host }), http }],
      ...words.spec,
    },
  };
}

/** The IngressClass that these Ingresses name. */
export const ingressClass = {
  apiVersion: "networking.k8s.io/v1",
  kind: "IngressClass",
  metadata: { name: "nginx" },
  spec: { controller: "k8s.io/ingress-nginx" },
};
