/**
 * Routes other than HTTPRoutes, as the Gateway API v1.6.3 defines them. Fields are optional
 * wherever the API server would fill in a default.
 */
import type { BackendReference, HTTPRouteFilter, Route, SessionPersistence, ValueMatch } from "./objects.ts";

export interface GRPCRoute extends Route {
  readonly kind: "GRPCRoute";
  readonly spec?: Route["spec"] & { readonly rules?: readonly GRPCRouteRule[] };
}

export interface GRPCRouteRule {
  readonly name?: string;
  readonly matches?: readonly GRPCRouteMatch[];
  readonly filters?: readonly GRPCRouteFilter[];
  readonly backendRefs?: readonly GRPCBackendReference[];
  readonly sessionPersistence?: SessionPersistence;
}

export interface GRPCRouteMatch {
  /** `type` is `Exact` or `RegularExpression`; at least one of `service` and `method` is given. */
  readonly method?: { readonly type?: string; readonly service?: string; readonly method?: string };
  readonly headers?: readonly ValueMatch[];
}

/**
 * `type` is `RequestHeaderModifier`, `ResponseHeaderModifier`, `RequestMirror` or `ExtensionRef`.
 */
export type GRPCRouteFilter = Pick<
  HTTPRouteFilter,
  "type" | "requestHeaderModifier" | "responseHeaderModifier" | "requestMirror" | "extensionRef"
>;

export interface GRPCBackendReference extends BackendReference {
  readonly filters?: readonly GRPCRouteFilter[];
}

/** A rule of a route for streams: TLS, TCP or UDP. */
export interface StreamRouteRule {
  readonly name?: string;
  readonly backendRefs?: readonly BackendReference[];
}

export interface TLSRoute extends Route {
  readonly kind: "TLSRoute";
  readonly spec?: Route["spec"] & { readonly rules?: readonly StreamRouteRule[] };
}

export interface TCPRoute extends Route {
  readonly kind: "TCPRoute";
  readonly spec?: Route["spec"] & { readonly rules?: readonly StreamRouteRule[] };
}

export interface UDPRoute extends Route {
  readonly kind: "UDPRoute";
  readonly spec?: Route["spec"] & { readonly rules?: readonly StreamRouteRule[] };
}
