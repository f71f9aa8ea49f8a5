/**
 * The supported features of the Gateway API, by the names of its conformance suite. The status of
 * GatewayClasses and the table in docs/gateway-api.md come from these declarations, so a finished
 * feature is one line here and its row there.
 */

import type { TranslateOptions } from "../../table/options.ts";
import type { Capability } from "../../tokens/capabilities.ts";

export interface Feature {
  readonly name: string;
  /**
   * The versions of the Gateway API whose suite knows the name: all from 1.6 on, only those from
   * 1.7 on, or only 1.6.
   */
  readonly versions: "1.6" | "1.7" | "1.6 only";
  readonly doc: string;
  /**
   * Whether Sluice serves it: always, if nginx has the named capability, if Services get
   * metadata, or not yet.
   */
  readonly served: "yes" | "no" | "metadata" | Capability;
}

/** Declares a feature that all versions from 1.6 on know, and that Sluice serves. */
const feature = (name: string, doc: string, other: Partial<Feature> = {}): Feature => {
  return { name, versions: "1.6", served: "yes", doc, ...other };
};

export const features: readonly Feature[] = [
  feature("BackendTLSPolicy", "TLS towards Services, with a CA and a hostname"),
  feature("BackendTLSPolicySANValidation", "several names and URIs of a backend", { served: "upstreamSan" }),
  feature("ClusterTrustBundle", "CAs from ClusterTrustBundles", { versions: "1.7", served: "no" }),
  feature("GRPCRoute", "GRPCRoutes; over TLS with any nginx", { served: "http2Directive" }),
  feature("GRPCRouteNamedRouteRule", "names of rules in logs and metrics", { served: "http2Directive" }),
  feature("GRPCRouteRequestHeaderModifier", "the filter in GRPCRoutes", { versions: "1.7", served: "http2Directive" }),
  feature("Gateway", "Gateways with listeners"),
  feature("GatewayAddressEmpty", "an address without a value means any address of the pool"),
  feature("GatewayAddressRoutability", "who may reach an address", { versions: "1.7", served: "no" }),
  feature("GatewayAddressRoutabilityCluster", "addresses inside the cluster only", { versions: "1.7", served: "no" }),
  feature("GatewayBackendClientCertificate", "the client certificate for backends"),
  feature("GatewayFrontendClientCertificateValidation", "client certificates, for each port"),
  feature(
    "GatewayFrontendClientCertificateValidationInsecureFallback",
    "client certificates that may be missing or wrong",
  ),
  feature("GatewayHTTPListenerIsolation", "a request can reach only the routes of one listener"),
  feature("GatewayHTTPSListenerDetectMisdirectedRequests", "421 if the handshake named another listener"),
  feature("GatewayInfrastructure", "labels and annotations of `infrastructure`", { served: "metadata" }),
  feature("GatewayListenerFilters", "filters of listeners", { versions: "1.7", served: "no" }),
  feature("GatewayPort8080", "listeners on any port"),
  feature("GatewayRouteHostnameIntersectionPrecedence", "the route with the longest hostname comes first", {
    versions: "1.7",
  }),
  feature("GatewayStaticAddresses", "addresses that a Gateway requests"),
  feature("HTTPRoute", "HTTPRoutes"),
  feature("HTTPRoute303RedirectStatusCode", "redirects with 303"),
  feature("HTTPRoute307RedirectStatusCode", "redirects with 307"),
  feature("HTTPRoute308RedirectStatusCode", "redirects with 308"),
  feature("HTTPRouteBackendProtocolH2C", "HTTP/2 without TLS, from clients and to backends", {
    served: "http2Directive",
  }),
  feature("HTTPRouteBackendProtocolWebSocket", "WebSockets"),
  feature("HTTPRouteBackendRequestHeaderModification", "the filter RequestHeaderModifier for single backends"),
  feature("HTTPRouteBackendTimeout", "`timeouts.backendRequest`"),
  feature("HTTPRouteBackendURLRewrite", "the filter URLRewrite for single backends", { versions: "1.7" }),
  feature("HTTPRouteCORS", "the filter CORS"),
  feature("HTTPRouteDestinationPortMatching", "`parentRefs[].port` with routes"),
  feature("HTTPRouteHostRewrite", "the filter URLRewrite: hostname"),
  feature("HTTPRouteMethodMatching", "matches by method"),
  feature("HTTPRouteNamedRouteRule", "names of rules in logs and metrics"),
  feature("HTTPRouteParentRefPort", "`parentRefs[].port`"),
  feature("HTTPRoutePathRedirect", "redirects to another path"),
  feature("HTTPRoutePathRewrite", "the filter URLRewrite: path"),
  feature("HTTPRoutePortRedirect", "redirects to another port"),
  feature("HTTPRouteQueryParamMatching", "matches by query parameters"),
  feature("HTTPRouteRequestMirror", "copies of requests"),
  feature("HTTPRouteRequestMultipleMirrors", "copies for several backends"),
  feature("HTTPRouteRequestPercentageMirror", "copies of a share of requests"),
  feature("HTTPRouteRequestTimeout", "`timeouts.request`"),
  feature("HTTPRouteResponseHeaderModification", "the filter ResponseHeaderModifier"),
  feature("HTTPRouteRetry", "`retry` by status codes", { versions: "1.6 only" }),
  feature("HTTPRouteRetryBackendTimeout", "`retry` after a timeout", { versions: "1.6 only" }),
  feature("HTTPRouteRetryCodes", "`retry` by status codes", { versions: "1.7" }),
  feature("HTTPRouteRetryConnectionError", "`retry` after a connection error"),
  feature("HTTPRouteSchemeRedirect", "redirects to another scheme"),
  feature("ListenerSet", "ListenerSets"),
  feature("ReferenceGrant", "grants across namespaces"),
  feature("TCPRoute", "TCPRoutes", { served: "stream" }),
  feature("TLSRoute", "TLSRoutes", { served: "streamTls" }),
  feature("TLSRouteModeMixed", "listeners that pass TLS through beside listeners that terminate it", {
    served: "streamTls",
  }),
  feature("TLSRouteModeTerminate", "TLSRoutes on listeners that terminate TLS", { served: "streamTls" }),
  feature("UDPRoute", "UDPRoutes", { served: "stream" }),
];

/** The words of the page for a feature's requirement. */
const servedWith: Partial<Record<Capability | "metadata", string>> = {
  metadata: "with `--gateway-services` and `--gateway-metadata-prefixes`",
  http2Directive: "with nginx 1.25.1 or newer",
  stream: "with nginx's stream module",
  streamTls: "with nginx's stream module and its TLS",
  upstreamSan: "with the nginx of the image",
};

/**
 * Returns the value of `status.supportedFeatures`, sorted by name. `minor` is that of the Gateway
 * API's definitions, such as 7 for v1.7.0; without one, names of all versions are listed.
 */
export function supportedFeatures(
  { lacks, gateway }: Pick<TranslateOptions, "lacks" | "gateway">,
  minor: number | undefined,
): readonly string[] {
  const copies = (gateway.services?.prefixes ?? []).length > 0;
  const isServed = ({ served }: Feature) => {
    if (served === "yes" || served === "no") return served === "yes";
    return served === "metadata" ? copies : !lacks.has(served);
  };
  const isNamed = ({ versions }: Feature) =>
    minor === undefined || versions === "1.6" || (versions === "1.7") === minor >= 7;
  return features.filter((one) => isServed(one) && isNamed(one)).map(({ name }) => name);
}

/** Returns the rows of the table in docs/gateway-api.md. */
export function featureRows(): readonly string[] {
  return features.map(({ name, versions, served, doc }) => {
    const when = served === "yes" ? "yes" : served === "no" ? "not yet" : (servedWith[served] ?? served);
    return `| \`${name}\` | ${versions} | ${when} | ${doc} |`;
  });
}
