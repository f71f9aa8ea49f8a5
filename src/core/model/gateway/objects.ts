/**
 * The objects of the Gateway API that Sluice reads, with the fields it reads: plain JSON, as the
 * API server and YAML files give it. Nothing is defaulted here, because files and older definitions
 * leave out what the API server would fill in.
 */
import type { KubernetesObject } from "../objects.ts";

export const gatewayGroup = "gateway.networking.k8s.io";

/** A condition of an object's status, as `metav1.Condition` defines it. */
export interface Condition {
  readonly type: string;
  readonly status: "True" | "False" | "Unknown";
  readonly reason: string;
  readonly message: string;
  readonly observedGeneration?: number;
  /** A time in the form of RFC 3339. */
  readonly lastTransitionTime?: string;
}

export interface GatewayClass extends KubernetesObject {
  readonly kind: "GatewayClass";
  readonly spec?: {
    readonly controllerName?: string;
    readonly description?: string;
    readonly parametersRef?: ParametersReference & { readonly namespace?: string };
  };
  readonly status?: { readonly conditions?: readonly Condition[] };
}

export interface ParametersReference {
  readonly group: string;
  readonly kind: string;
  readonly name: string;
}

export interface Gateway extends KubernetesObject {
  readonly kind: "Gateway";
  readonly spec?: {
    readonly gatewayClassName?: string;
    readonly listeners?: readonly GatewayListener[];
    readonly addresses?: readonly GatewayAddress[];
    readonly infrastructure?: {
      readonly labels?: Readonly<Record<string, string>>;
      readonly annotations?: Readonly<Record<string, string>>;
      readonly parametersRef?: ParametersReference;
    };
    readonly allowedListeners?: { readonly namespaces?: RouteNamespaces };
    readonly tls?: GatewayTLS;
    /** `All` for a default Gateway, or `None`. */
    readonly defaultScope?: string;
  };
  readonly status?: {
    readonly addresses?: readonly GatewayAddress[];
    readonly conditions?: readonly Condition[];
    readonly listeners?: readonly { readonly name: string; readonly conditions?: readonly Condition[] }[];
  };
}

export interface GatewayTLS {
  /**
   * The validation of clients' certificates. `perPort` replaces the default for all HTTPS listeners
   * of its port.
   */
  readonly frontend?: {
    readonly default?: ClientTLS;
    readonly perPort?: readonly { readonly port: number; readonly tls?: ClientTLS }[];
  };
  /** The certificate that is shown to backends. */
  readonly backend?: { readonly clientCertificateRef?: ObjectReference };
}

export interface ClientTLS {
  readonly validation?: {
    readonly caCertificateRefs?: readonly ObjectReference[];
    /** `AllowValidOnly`, which is the default, or `AllowInsecureFallback`. */
    readonly mode?: string;
  };
}

/** Without a type it is an IPAddress. With an empty value any address will do. */
export interface GatewayAddress {
  readonly type?: string;
  readonly value?: string;
  /** From where the address can be reached, of version 1.7. It is not served. */
  readonly routability?: string;
}

export interface GatewayListener {
  readonly name: string;
  /** If it is absent or empty, all hosts are meant. */
  readonly hostname?: string;
  readonly port: number;
  /** `HTTP`, `HTTPS`, `TLS`, `TCP`, `UDP`, or a name of another implementation's. */
  readonly protocol: string;
  readonly tls?: {
    readonly mode?: string;
    readonly certificateRefs?: readonly ObjectReference[];
    readonly options?: Readonly<Record<string, string>>;
  };
  readonly allowedRoutes?: {
    readonly namespaces?: RouteNamespaces;
    readonly kinds?: readonly { readonly group?: string; readonly kind: string }[];
  };
  /** Filters for all requests of the listener, of version 1.7. None of them is served. */
  readonly filters?: { readonly requests?: readonly unknown[] };
}

export interface RouteNamespaces {
  /** `All`, `Same`, `Selector` or `None`. */
  readonly from?: string;
  readonly selector?: LabelSelector;
}

export interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly {
    readonly key: string;
    readonly operator: string;
    readonly values?: readonly string[];
  }[];
}

/**
 * Without a group and a kind it refers to a Secret or a Service, depending on the field; without a
 * namespace, to one in its owner's namespace.
 */
export interface ObjectReference {
  readonly group?: string;
  readonly kind?: string;
  readonly name: string;
  readonly namespace?: string;
}

export interface ParentReference extends ObjectReference {
  readonly sectionName?: string;
  readonly port?: number;
}

export interface BackendReference extends ObjectReference {
  readonly port?: number;
  readonly weight?: number;
}

export interface HTTPBackendReference extends BackendReference {
  readonly filters?: readonly HTTPRouteFilter[];
}

/** The fields that all kinds of routes have. */
export interface Route extends KubernetesObject {
  readonly spec?: {
    readonly parentRefs?: readonly ParentReference[];
    /** Absent from kinds that have no hosts. */
    readonly hostnames?: readonly string[];
    readonly useDefaultGateways?: string;
  };
  readonly status?: { readonly parents?: readonly RouteParentStatus[] };
}

export interface HTTPRoute extends Route {
  readonly kind: "HTTPRoute";
  readonly spec?: Route["spec"] & { readonly rules?: readonly HTTPRouteRule[] };
}

export interface RouteParentStatus {
  readonly parentRef: ParentReference;
  readonly controllerName: string;
  readonly conditions?: readonly Condition[];
}

export interface HTTPRouteRule {
  readonly name?: string;
  readonly matches?: readonly HTTPRouteMatch[];
  readonly filters?: readonly HTTPRouteFilter[];
  readonly backendRefs?: readonly HTTPBackendReference[];
  readonly timeouts?: { readonly request?: string; readonly backendRequest?: string };
  readonly retry?: RetryPolicy;
  readonly sessionPersistence?: SessionPersistence;
}

export interface SessionPersistence {
  /** From version 1.7 on, `cookie.name` or `header.name` has the name. */
  readonly sessionName?: string;
  /** `Cookie` or `Header`. */
  readonly type?: string;
  readonly absoluteTimeout?: string;
  /** The name of the field before version 1.6. */
  readonly idleTimeout?: string;
  /** From version 1.7 on it is called `cookie`. */
  readonly cookieConfig?: {
    /** `Session` or `Permanent`. */
    readonly lifetimeType?: string;
  };
  readonly cookie?: {
    readonly name?: string;
    readonly path?: string;
    /** `Session` or `Permanent`. */
    readonly lifetimeType?: string;
  };
  readonly header?: { readonly name?: string };
}

export interface RetryPolicy {
  readonly codes?: readonly number[];
  readonly attempts?: number;
  readonly backoff?: string;
}

export interface HTTPRouteMatch {
  /** `Exact`, `PathPrefix` or `RegularExpression`. */
  readonly path?: { readonly type?: string; readonly value?: string };
  readonly headers?: readonly ValueMatch[];
  readonly queryParams?: readonly ValueMatch[];
  readonly method?: string;
}

export interface ValueMatch {
  /** `Exact` or `RegularExpression`. */
  readonly type?: string;
  readonly name: string;
  readonly value: string;
}

export interface HTTPRouteFilter {
  readonly type: string;
  readonly requestHeaderModifier?: HeaderModifier;
  readonly responseHeaderModifier?: HeaderModifier;
  readonly requestMirror?: {
    readonly backendRef: BackendReference;
    readonly percent?: number;
    readonly fraction?: { readonly numerator: number; readonly denominator?: number };
  };
  readonly requestRedirect?: {
    readonly scheme?: string;
    readonly hostname?: string;
    readonly path?: PathModifier;
    readonly port?: number;
    readonly statusCode?: number;
  };
  readonly urlRewrite?: { readonly hostname?: string; readonly path?: PathModifier };
  readonly cors?: {
    readonly allowOrigins?: readonly string[];
    readonly allowCredentials?: boolean;
    readonly allowMethods?: readonly string[];
    readonly allowHeaders?: readonly string[];
    readonly exposeHeaders?: readonly string[];
    readonly maxAge?: number;
  };
  readonly externalAuth?: ExternalAuthFilter;
  readonly extensionRef?: { readonly group: string; readonly kind: string; readonly name: string };
}

export interface ExternalAuthFilter {
  /** `HTTP` or `GRPC`. */
  readonly protocol?: string;
  readonly backendRef: BackendReference;
  readonly http?: {
    readonly path?: string;
    readonly allowedHeaders?: readonly string[];
    readonly allowedResponseHeaders?: readonly string[];
  };
  readonly grpc?: { readonly allowedHeaders?: readonly string[] };
  readonly forwardBody?: { readonly maxSize?: number };
}

export interface HeaderModifier {
  readonly set?: readonly { readonly name: string; readonly value: string }[];
  readonly add?: readonly { readonly name: string; readonly value: string }[];
  readonly remove?: readonly string[];
}

export interface PathModifier {
  /** `ReplaceFullPath` or `ReplacePrefixMatch`. */
  readonly type: string;
  readonly replaceFullPath?: string;
  readonly replacePrefixMatch?: string;
}

export interface ReferenceGrant extends KubernetesObject {
  readonly kind: "ReferenceGrant";
  readonly spec?: {
    readonly from?: readonly { readonly group: string; readonly kind: string; readonly namespace: string }[];
    /** Without a name it permits every object of the kind in the grant's namespace. */
    readonly to?: readonly { readonly group: string; readonly kind: string; readonly name?: string }[];
  };
}
