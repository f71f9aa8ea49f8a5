/**
 * The Kubernetes objects that Sluice reads, with the fields that it reads: plain JSON from the API
 * server or YAML files. Fields that are optional in the API are optional here, and `translate/`
 * fills in defaults.
 */

import type { KubernetesObject } from "../../kube/object.ts";

export {
  type KubernetesObject,
  keyOf,
  keyOfName,
  nameOf,
  type ObjectMeta,
  type OwnerReference,
} from "../../kube/object.ts";

export interface ServiceBackendPort {
  readonly name?: string;
  readonly number?: number;
}

export interface IngressBackend {
  readonly service?: { readonly name: string; readonly port?: ServiceBackendPort };
  readonly resource?: { readonly apiGroup?: string; readonly kind: string; readonly name: string };
}

export type PathType = "Exact" | "Prefix" | "ImplementationSpecific";

export interface HTTPIngressPath {
  readonly path?: string;
  readonly pathType?: PathType;
  readonly backend: IngressBackend;
}

export interface IngressRule {
  readonly host?: string;
  readonly http?: { readonly paths: readonly HTTPIngressPath[] };
}

export interface IngressTLS {
  readonly hosts?: readonly string[];
  readonly secretName?: string;
}

export interface Ingress extends KubernetesObject {
  readonly kind: "Ingress";
  readonly spec?: {
    readonly ingressClassName?: string;
    readonly defaultBackend?: IngressBackend;
    readonly rules?: readonly IngressRule[];
    readonly tls?: readonly IngressTLS[];
  };
  readonly status?: { readonly loadBalancer?: { readonly ingress?: readonly LoadBalancerAddress[] } };
}

export interface LoadBalancerAddress {
  readonly ip?: string;
  readonly hostname?: string;
}

/** The annotation in which Ingresses named their class before `ingressClassName`. */
export const classAnnotation = "kubernetes.io/ingress.class";

/** Returns the class that an Ingress names; undefined if it names none. */
export const classOf = ({ metadata, spec }: Ingress): string | undefined =>
  spec?.ingressClassName ?? metadata.annotations?.[classAnnotation];

export interface IngressClass extends KubernetesObject {
  readonly kind: "IngressClass";
  readonly spec?: { readonly controller?: string; readonly parameters?: unknown };
}

export interface ServicePort {
  readonly name?: string;
  readonly port: number;
  readonly protocol?: string;
  readonly targetPort?: number | string;
  readonly nodePort?: number;
  readonly appProtocol?: string;
}

export interface Service extends KubernetesObject {
  readonly kind: "Service";
  readonly spec?: {
    readonly type?: string;
    readonly clusterIP?: string;
    readonly clusterIPs?: readonly string[];
    readonly externalName?: string;
    readonly externalIPs?: readonly string[];
    readonly ports?: readonly ServicePort[];
    readonly trafficDistribution?: string;
    /** This field and those below are kept only for Services that Sluice wrote. */
    readonly selector?: Readonly<Record<string, string>>;
    readonly ipFamilies?: readonly string[];
    readonly ipFamilyPolicy?: string;
    readonly externalTrafficPolicy?: string;
    readonly internalTrafficPolicy?: string;
    readonly loadBalancerClass?: string;
    readonly loadBalancerSourceRanges?: readonly string[];
    readonly allocateLoadBalancerNodePorts?: boolean;
  };
  readonly status?: { readonly loadBalancer?: { readonly ingress?: readonly LoadBalancerAddress[] } };
}

export interface EndpointConditions {
  readonly ready?: boolean;
  readonly serving?: boolean;
  readonly terminating?: boolean;
}

export interface SliceEndpoint {
  readonly addresses: readonly string[];
  readonly conditions?: EndpointConditions;
  readonly hints?: { readonly forZones?: readonly { readonly name: string }[] };
  /** This field and those below are kept only for slices that Sluice wrote. */
  readonly nodeName?: string;
  readonly zone?: string;
  readonly targetRef?: {
    readonly kind: string;
    readonly namespace?: string;
    readonly name: string;
    readonly uid?: string;
  };
}

export interface EndpointSlice extends KubernetesObject {
  readonly kind: "EndpointSlice";
  readonly addressType: "IPv4" | "IPv6" | "FQDN";
  readonly endpoints?: readonly SliceEndpoint[];
  readonly ports?: readonly { readonly name?: string; readonly port?: number; readonly protocol?: string }[];
}

/** `data` holds base64, as the API gives it. */
export interface Secret extends KubernetesObject {
  readonly kind: "Secret";
  readonly type?: string;
  readonly data?: Readonly<Record<string, string>>;
}

export interface ConfigMap extends KubernetesObject {
  readonly kind: "ConfigMap";
  readonly data?: Readonly<Record<string, string>>;
}

export interface Namespace extends KubernetesObject {
  readonly kind: "Namespace";
}

export interface Node extends KubernetesObject {
  readonly kind: "Node";
  readonly status?: { readonly addresses?: readonly { readonly type: string; readonly address: string }[] };
}

/**
 * Names an object as its author wrote it. Slices that are made of Endpoints have keys that end with
 * `#`, perhaps with a number.
 */
export function writtenName(kind: string, key: string): string {
  const [, name] = /^(.*)#\d*$/.exec(key) ?? [];
  return name === undefined ? `${kind} ${key}` : `Endpoints ${name}`;
}

/** Identifies an object by kind, namespace and name: `Ingress shop/web`. */
export type ObjectKey = `${string} ${string}`;

/** Returns the ObjectKey; `key` is `namespace/name`. */
export function objectKey(kind: string, key: string): ObjectKey {
  return `${kind} ${key}`;
}

/** Takes an `objectKey` apart. */
export function kindAndKey(called: string): readonly [kind: string, key: string] {
  const at = called.indexOf(" ");
  return [called.slice(0, at), called.slice(at + 1)];
}

/**
 * Returns `namespace/name` of the slice's Service; undefined for a slice that belongs to no
 * Service.
 */
export function serviceOf({ metadata }: EndpointSlice): string | undefined {
  const name = metadata.labels?.["kubernetes.io/service-name"];
  return name === undefined ? undefined : `${metadata.namespace}/${name}`;
}
