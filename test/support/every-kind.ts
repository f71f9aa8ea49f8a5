/**
 * One object of each kind of the Gateway API with all its fields, and tools that replace the value
 * of a field.
 */
import type { KubernetesObject } from "../../src/core/model/objects.ts";
import { emptySnapshot } from "../../src/core/model/snapshot.ts";
import { defaultOptions } from "../../src/core/table/options.ts";
import {
  authorities,
  backendTLSPolicy,
  bySettings,
  gateway,
  gatewayClass,
  grant,
  listener,
  listenerSet,
  namespace,
  route,
  routeSettings,
  serviceIn,
} from "./gateways.ts";
import { put } from "./sketch.ts";

const to = { group: "", kind: "Service", name: "web", namespace: "other", port: 80 };
const headers = { set: [{ name: "X-A", value: "1" }], add: [{ name: "X-B", value: "2" }], remove: ["X-C"] };
const session = {
  ...{ sessionName: "s", type: "Cookie", absoluteTimeout: "1h", idleTimeout: "5m" },
  cookieConfig: { lifetimeType: "Permanent" },
  cookie: { name: "s", path: "/", lifetimeType: "Permanent" },
  header: { name: "X-S" },
};
const selector = {
  matchLabels: { team: "a" },
  matchExpressions: [{ key: "team", operator: "In", values: ["a"] }],
};
const certificate = { group: "", kind: "Secret", name: "tls", namespace: "other" };
const clients = { validation: { caCertificateRefs: [{ group: "", kind: "ConfigMap", name: "ca" }], mode: "x" } };
const listeners = [
  listener({
    ...{ name: "https", hostname: "*.example", port: 443, protocol: "HTTPS" },
    tls: { mode: "Terminate", certificateRefs: [certificate], options: { "example.com/a": "b" } },
    allowedRoutes: { namespaces: { from: "Selector", selector }, kinds: [{ group: "g", kind: "HTTPRoute" }] },
  }),
  listener({}),
];
const filters = [
  { type: "RequestHeaderModifier", requestHeaderModifier: headers },
  { type: "ResponseHeaderModifier", responseHeaderModifier: headers },
  { type: "RequestMirror", requestMirror: { backendRef: to, fraction: { numerator: 1, denominator: 3 } } },
  {
    type: "URLRewrite",
    urlRewrite: { hostname: "b.example", path: { type: "ReplacePrefixMatch", replacePrefixMatch: "/x" } },
  },
  {
    type: "CORS",
    cors: {
      ...{ allowOrigins: ["https://a.example"], allowCredentials: true, allowMethods: ["GET"], maxAge: 5 },
      ...{ allowHeaders: ["X-A"], exposeHeaders: ["X-B"] },
    },
  },
  {
    type: "ExternalAuth",
    externalAuth: {
      ...{ protocol: "HTTP", backendRef: to, forwardBody: { maxSize: 5 }, grpc: { allowedHeaders: ["x"] } },
      http: { path: "/p", allowedHeaders: ["x"], allowedResponseHeaders: ["y"] },
    },
  },
  bySettings(),
];
const redirect = {
  type: "RequestRedirect",
  requestRedirect: {
    ...{ scheme: "https", hostname: "c.example", port: 444, statusCode: 301 },
    path: { type: "ReplaceFullPath", replaceFullPath: "/y" },
  },
};
const value = (type: string) => ({ type, name: "a", value: "b+" });
const parent = { group: "gateway.networking.k8s.io", kind: "Gateway", sectionName: "http", port: 80 };
const httpRules = [
  {
    name: "one",
    matches: [
      { path: { type: "PathPrefix", value: "/a" }, headers: [value("Exact")], queryParams: [value("Exact")] },
      { path: { type: "RegularExpression", value: "/b" }, headers: [value("RegularExpression")], method: "GET" },
    ],
    filters,
    backendRefs: [{ ...to, weight: 2, filters: filters.slice(0, 2) }],
    timeouts: { request: "5s", backendRequest: "1s" },
    retry: { codes: [500], attempts: 2, backoff: "10ms" },
    sessionPersistence: session,
  },
  { filters: [redirect] },
];
const grpcRules = [
  {
    matches: [{ method: { type: "Exact", service: "s", method: "m" }, headers: [value("Exact")] }],
    filters: filters.slice(0, 3),
    backendRefs: [to],
    sessionPersistence: session,
  },
];
const streams = (kind: string, more: object = {}) =>
  ({
    ...route({ name: kind.toLowerCase(), parent: { sectionName: kind.toLowerCase() } }),
    ...{ apiVersion: "gateway.networking.k8s.io/v1alpha2", kind },
    spec: {
      parentRefs: [{ name: "gw", namespace: "ns" }],
      rules: [{ name: "r", backendRefs: [{ ...to, weight: 1 }] }],
      ...more,
    },
  }) as KubernetesObject;

const reference = { group: "", kind: "ConfigMap", name: "parameters" };
export const everyKind: Readonly<Record<string, KubernetesObject>> = {
  GatewayClass: {
    ...gatewayClass(),
    spec: {
      ...{ controllerName: "sluice.dev/gateway-controller", description: "d" },
      parametersRef: { ...reference, namespace: "ns" },
    },
  } as KubernetesObject,
  Gateway: gateway({
    listeners,
    spec: {
      addresses: [{ type: "IPAddress", value: "192.0.2.10" }],
      infrastructure: { labels: { a: "b" }, annotations: { c: "d" }, parametersRef: reference },
      allowedListeners: { namespaces: { from: "Selector", selector } },
      tls: {
        frontend: { default: clients, perPort: [{ port: 443, tls: clients }] },
        backend: { clientCertificateRef: certificate },
      },
    },
  }),
  ListenerSet: listenerSet({ listeners }),
  HTTPRoute: route({ parent, hostnames: ["a.example"], rules: httpRules }),
  GRPCRoute: { ...route({ name: "grpc", parent, hostnames: ["g.example"], rules: grpcRules }), kind: "GRPCRoute" },
  TLSRoute: streams("TLSRoute", { hostnames: ["t.example"] }),
  TCPRoute: streams("TCPRoute"),
  UDPRoute: streams("UDPRoute"),
  BackendTLSPolicy: backendTLSPolicy({
    section: "http",
    validation: {
      ...{ hostname: "web.example", wellKnownCACertificates: "System" },
      caCertificateRefs: [{ group: "", kind: "ConfigMap", name: "ca" }],
      subjectAltNames: [
        { type: "Hostname", hostname: "a.example" },
        { type: "URI", uri: "spiffe://a/b" },
      ],
    } as never,
  }),
  ReferenceGrant: grant({ namespace: "other", from: "HTTPRoute", to: "Service", name: "web" }),
  RouteSettings: routeSettings({
    to: [["Gateway", "gw", "http"]],
    values: {
      "auth-url": "http://auth.example/check",
      "limit-rps": 5,
      "whitelist-source-range": "10.0.0.0/8",
      "proxy-body-size": "1m",
      "custom-http-errors": "404,503",
      "auth-realm": "x",
    },
  }),
  ConfigMap: {
    ...{ apiVersion: "v1", kind: "ConfigMap", metadata: { namespace: "ns", name: "parameters" } },
    data: {
      ...{ serviceType: "LoadBalancer", loadBalancerClass: "a/b", loadBalancerSourceRanges: "10.0.0.0/8" },
      ...{ ipFamilies: "IPv4,IPv6", externalTrafficPolicy: "Local" },
    },
  } as KubernetesObject,
  authorities: authorities("ca", "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n"),
  Namespace: namespace("ns", { team: "a" }),
};

const services = { ports: [20_000, 20_001, 20_002, 20_003], prefixes: ["a"], record: "sluice/ports" };
export const wholeOptions = {
  ...defaultOptions,
  gateway: { ...defaultOptions.gateway, addresses: ["192.0.2.10"], services },
};
export const wholeSnapshot = put(
  emptySnapshot,
  ...[namespace("ns", { team: "a" }), namespace("other"), serviceIn("other", "web"), serviceIn("ns", "web")],
  ...Object.values(everyKind),
);

export type Path = readonly (string | number)[];

/** Returns the paths of everything inside, except what the API server alone writes. */
export function pathsIn(inside: unknown, path: Path = []): readonly Path[] {
  if (typeof inside !== "object" || inside === null) return [path];
  const own = path.length === 0 ? [] : [path];
  return [
    ...own,
    ...Object.entries(inside).flatMap(([key, one]) =>
      path.length === 0 && ["apiVersion", "kind", "metadata"].includes(key)
        ? []
        : pathsIn(one, [...path, Array.isArray(inside) ? Number(key) : key]),
    ),
  ];
}

export function valueAt(object: unknown, path: Path): unknown {
  return path.reduce((one, key) => (one as Record<string | number, unknown>)[key], object);
}

export function withValue<T>(object: T, path: Path, value: unknown): T {
  const [key, ...rest] = path;
  if (key === undefined) return value as T;
  const copy = (Array.isArray(object) ? [...object] : { ...object }) as Record<string | number, unknown>;
  copy[key] = withValue(copy[key], rest, value);
  return copy as T;
}
