/** The flags that `translate/` needs. */

import { type AskedPolicy, strictPolicy } from "../kinds/asked.ts";
import type { HostPolicyPlace } from "../sources/host-policy/in-force.ts";
import type { Capability } from "../tokens/capabilities.ts";

export interface TranslateOptions {
  /** Without a trailing slash: `nginx.ingress.kubernetes.io`. */
  readonly annotationsPrefix: string;
  /** Whether values of annotations with unusual characters are refused. */
  readonly annotationValidation: boolean;
  readonly ingressClass: string;
  readonly controllerClass: string;
  readonly ingressClassByName: boolean;
  readonly watchIngressWithoutClass: boolean;
  readonly disableCatchAll: boolean;
  readonly deepInspect: boolean;
  readonly disableSvcExternalName: boolean;
  /** `namespace/name`, or undefined if the flag is not set. */
  readonly configMap: string | undefined;
  readonly defaultBackendService: string | undefined;
  readonly defaultSslCertificate: string | undefined;
  readonly tcpServicesConfigMap: string | undefined;
  readonly udpServicesConfigMap: string | undefined;
  readonly enableSslPassthrough: boolean;
  /** The source of the host policy; undefined if there is none. */
  readonly hostPolicy: HostPolicyPlace;
  /** Ports on which Sluice listens, each with its use, so that TCP and UDP services avoid them. */
  readonly reservedPorts: ReadonlyMap<number, string>;
  /** The port of the built-in 404 server on 127.0.0.1. */
  readonly defaultServerPort: number;
  /** The addresses to which nginx and the controller may connect. */
  readonly asked: AskedPolicy;
  /** Capabilities that this nginx lacks; empty if no nginx is known. */
  readonly lacks: ReadonlySet<Capability>;
  readonly gateway: GatewayOptions;
  /**
   * The zone of the controller's Node, for topology hints. If it is undefined, hints are not
   * used.
   */
  readonly zone: string | undefined;
}

/** The flags about the Gateway API. */
export interface GatewayOptions {
  /** `spec.controllerName` of this controller's GatewayClasses. */
  readonly controllerName: string;
  /** The pool, from which each Gateway gets an address of its own; empty if there is no pool. */
  readonly addresses: readonly string[];
  /**
   * Whether Gateways without an address of the pool listen on all addresses of this machine, as
   * under `serve`, and share their ports.
   */
  readonly sharesPorts: boolean;
  /**
   * `namespace/name` of the Gateway that shares the Service, addresses and ports of Ingresses;
   * undefined if none does.
   */
  readonly shared?: string;
  readonly httpPort: number;
  readonly httpsPort: number;
  /** The file with the authorities that this machine trusts; undefined if there is none. */
  readonly systemAuthorities: string | undefined;
  /** Undefined if no Gateway has a Service of its own. */
  readonly services?: {
    /** Ports of nginx for these Services, without those on which Sluice itself listens. */
    readonly ports: readonly number[];
    /** Prefixes of labels and annotations that are copied from Gateways. */
    readonly prefixes: readonly string[];
    /** `namespace/name` of the ConfigMap with the record of target ports. */
    readonly record: string;
  };
}

export const defaultOptions: TranslateOptions = {
  annotationsPrefix: "nginx.ingress.kubernetes.io",
  annotationValidation: true,
  ingressClass: "nginx",
  controllerClass: "k8s.io/ingress-nginx",
  ingressClassByName: false,
  watchIngressWithoutClass: false,
  disableCatchAll: false,
  deepInspect: true,
  disableSvcExternalName: false,
  configMap: undefined,
  defaultBackendService: undefined,
  defaultSslCertificate: undefined,
  tcpServicesConfigMap: undefined,
  udpServicesConfigMap: undefined,
  enableSslPassthrough: false,
  hostPolicy: undefined,
  reservedPorts: new Map(),
  defaultServerPort: 8181,
  asked: strictPolicy,
  lacks: new Set(),
  zone: undefined,
  gateway: {
    controllerName: "sluice.dev/gateway-controller",
    addresses: [],
    sharesPorts: false,
    httpPort: 80,
    httpsPort: 443,
    systemAuthorities: "/etc/ssl/certs/ca-certificates.crt",
  },
};
