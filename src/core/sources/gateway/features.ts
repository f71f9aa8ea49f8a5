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

export const features: readonly Feature[] = [
  { name: "BackendTLSPolicy", versions: "1.6", served: "yes", doc: "TLS towards Services, with a CA and a hostname" },
  {
    name: "BackendTLSPolicySANValidation",
    versions: "1.6",
    served: "upstreamSan",
    doc: "several names and URIs of a backend",
  },
  { name: "ClusterTrustBundle", versions: "1.7", served: "no", doc: "CAs from ClusterTrustBundles" },
  { name: "GRPCRoute", versions: "1.6", served: "http2Directive", doc: "GRPCRoutes; over TLS with any nginx" },
  {
    name: "GRPCRouteNamedRouteRule",
    versions: "1.6",
    served: "http2Directive",
    doc: "names of rules in logs and metrics",
  },
  {
    name: "GRPCRouteRequestHeaderModifier",
    versions: "1.7",
    served: "http2Directive",
    doc: "the filter in GRPCRoutes",
  },
  { name: "Gateway", versions: "1.6", served: "yes", doc: "Gateways with listeners" },
  {
    name: "GatewayAddressEmpty",
    versions: "1.6",
    served: "yes",
    doc: "an address without a value means any address of the pool",
  },
  { name: "GatewayAddressRoutability", versions: "1.7", served: "no", doc: "who may reach an address" },
  { name: "GatewayAddressRoutabilityCluster", versions: "1.7", served: "no", doc: "addresses inside the cluster only" },
  {
    name: "GatewayBackendClientCertificate",
    versions: "1.6",
    served: "yes",
    doc: "the client certificate for backends",
  },
  {
    name: "GatewayFrontendClientCertificateValidation",
    versions: "1.6",
    served: "yes",
    doc: "client certificates, for each port",
  },
  {
    name: "GatewayFrontendClientCertificateValidationInsecureFallback",
    versions: "1.6",
    served: "yes",
    doc: "client certificates that may be missing or wrong",
  },
  {
    name: "GatewayHTTPListenerIsolation",
    versions: "1.6",
    served: "yes",
    doc: "a request can reach only the routes of one listener",
  },
  {
    name: "GatewayHTTPSListenerDetectMisdirectedRequests",
    versions: "1.6",
    served: "yes",
    doc: "421 if the handshake named another listener",
  },
  {
    name: "GatewayInfrastructure",
    versions: "1.6",
    served: "metadata",
    doc: "labels and annotations of `infrastructure`",
  },
  { name: "GatewayListenerFilters", versions: "1.7", served: "no", doc: "filters of listeners" },
  { name: "GatewayPort8080", versions: "1.6", served: "yes", doc: "listeners on any port" },
  {
    name: "GatewayRouteHostnameIntersectionPrecedence",
    versions: "1.7",
    served: "yes",
    doc: "the route with the longest hostname comes first",
  },
  { name: "GatewayStaticAddresses", versions: "1.6", served: "yes", doc: "addresses that a Gateway requests" },
  { name: "HTTPRoute", versions: "1.6", served: "yes", doc: "HTTPRoutes" },
  { name: "HTTPRoute303RedirectStatusCode", versions: "1.6", served: "yes", doc: "redirects with 303" },
  { name: "HTTPRoute307RedirectStatusCode", versions: "1.6", served: "yes", doc: "redirects with 307" },
  { name: "HTTPRoute308RedirectStatusCode", versions: "1.6", served: "yes", doc: "redirects with 308" },
  {
    name: "HTTPRouteBackendProtocolH2C",
    versions: "1.6",
    served: "http2Directive",
    doc: "HTTP/2 without TLS, from clients and to backends",
  },
  { name: "HTTPRouteBackendProtocolWebSocket", versions: "1.6", served: "yes", doc: "WebSockets" },
  {
    name: "HTTPRouteBackendRequestHeaderModification",
    versions: "1.6",
    served: "yes",
    doc: "the filter RequestHeaderModifier for single backends",
  },
  { name: "HTTPRouteBackendTimeout", versions: "1.6", served: "yes", doc: "`timeouts.backendRequest`" },
  {
    name: "HTTPRouteBackendURLRewrite",
    versions: "1.7",
    served: "yes",
    doc: "the filter URLRewrite for single backends",
  },
  { name: "HTTPRouteCORS", versions: "1.6", served: "yes", doc: "the filter CORS" },
  { name: "HTTPRouteDestinationPortMatching", versions: "1.6", served: "yes", doc: "`parentRefs[].port` with routes" },
  { name: "HTTPRouteHostRewrite", versions: "1.6", served: "yes", doc: "the filter URLRewrite: hostname" },
  { name: "HTTPRouteMethodMatching", versions: "1.6", served: "yes", doc: "matches by method" },
  { name: "HTTPRouteNamedRouteRule", versions: "1.6", served: "yes", doc: "names of rules in logs and metrics" },
  { name: "HTTPRouteParentRefPort", versions: "1.6", served: "yes", doc: "`parentRefs[].port`" },
  { name: "HTTPRoutePathRedirect", versions: "1.6", served: "yes", doc: "redirects to another path" },
  { name: "HTTPRoutePathRewrite", versions: "1.6", served: "yes", doc: "the filter URLRewrite: path" },
  { name: "HTTPRoutePortRedirect", versions: "1.6", served: "yes", doc: "redirects to another port" },
  { name: "HTTPRouteQueryParamMatching", versions: "1.6", served: "yes", doc: "matches by query parameters" },
  { name: "HTTPRouteRequestMirror", versions: "1.6", served: "yes", doc: "copies of requests" },
  { name: "HTTPRouteRequestMultipleMirrors", versions: "1.6", served: "yes", doc: "copies for several backends" },
  { name: "HTTPRouteRequestPercentageMirror", versions: "1.6", served: "yes", doc: "copies of a share of requests" },
  { name: "HTTPRouteRequestTimeout", versions: "1.6", served: "yes", doc: "`timeouts.request`" },
  {
    name: "HTTPRouteResponseHeaderModification",
    versions: "1.6",
    served: "yes",
    doc: "the filter ResponseHeaderModifier",
  },
  { name: "HTTPRouteRetry", versions: "1.6 only", served: "yes", doc: "`retry` by status codes" },
  { name: "HTTPRouteRetryBackendTimeout", versions: "1.6 only", served: "yes", doc: "`retry` after a timeout" },
  { name: "HTTPRouteRetryCodes", versions: "1.7", served: "yes", doc: "`retry` by status codes" },
  { name: "HTTPRouteRetryConnectionError", versions: "1.6", served: "yes", doc: "`retry` after a connection error" },
  { name: "HTTPRouteSchemeRedirect", versions: "1.6", served: "yes", doc: "redirects to another scheme" },
  { name: "ListenerSet", versions: "1.6", served: "yes", doc: "ListenerSets" },
  { name: "ReferenceGrant", versions: "1.6", served: "yes", doc: "grants across namespaces" },
  { name: "TCPRoute", versions: "1.6", served: "stream", doc: "TCPRoutes" },
  { name: "TLSRoute", versions: "1.6", served: "streamTls", doc: "TLSRoutes" },
  {
    name: "TLSRouteModeMixed",
    versions: "1.6",
    served: "streamTls",
    doc: "listeners that pass TLS through beside listeners that terminate it",
  },
  {
    name: "TLSRouteModeTerminate",
    versions: "1.6",
    served: "streamTls",
    doc: "TLSRoutes on listeners that terminate TLS",
  },
  { name: "UDPRoute", versions: "1.6", served: "stream", doc: "UDPRoutes" },
];

/** The words of the page for a feature's requirement. */
const servedWith: Partial<Record<Capability | "metadata", string>> = {
  metadata: "with `--gateway-services` and `--gateway-metadata-prefixes`",
  http2Directive: "with nginx 1.25.1 or newer",
  stream: "with nginx's stream module",
  streamTls: "with nginx's stream module and its TLS",
  upstreamSan: "with the nginx of the image",
};

/** Returns the value of `status.supportedFeatures`, sorted by name. */
export function supportedFeatures({ lacks, gateway }: Pick<TranslateOptions, "lacks" | "gateway">): readonly string[] {
  const copies = (gateway.services?.prefixes ?? []).length > 0;
  const isServed = ({ served }: Feature) => {
    if (served === "yes" || served === "no") return served === "yes";
    return served === "metadata" ? copies : !lacks.has(served);
  };
  return features.filter(isServed).map(({ name }) => name);
}

/** Returns the rows of the table in docs/gateway-api.md. */
export function featureRows(): readonly string[] {
  return features.map(({ name, versions, served, doc }) => {
    const when = served === "yes" ? "yes" : served === "no" ? "not yet" : (servedWith[served] ?? served);
    return `| \`${name}\` | ${versions} | ${when} | ${doc} |`;
  });
}
