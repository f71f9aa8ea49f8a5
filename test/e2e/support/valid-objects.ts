/**
 * Objects of each kind that Sluice reads, with most of their fields, which an API server accepts.
 */
import type { Mapping } from "../../../src/core/model/mapping.ts";

const gatewayGroup = "gateway.networking.k8s.io";
const object = (apiVersion: string, kind: string, rest: Mapping, isGlobal = false): Mapping => ({
  apiVersion,
  kind,
  metadata: {
    ...{ name: "valid", ...(isGlobal ? {} : { namespace: "default" }) },
    ...{ labels: { app: "web", "example.com/a": "" }, annotations: { "example.com/text": "x" } },
  },
  ...rest,
});
const ofGateways = (kind: string, spec: Mapping, version = "v1", isGlobal = false): Mapping =>
  object(`${gatewayGroup}/${version}`, kind, { spec }, isGlobal);

const to = { name: "web", port: 80 };
const parentRefs = [
  { name: "gw", sectionName: "http", port: 80 },
  { name: "gw", sectionName: "more", port: 443 },
];
const headers = { set: [{ name: "X-A", value: "1" }], add: [{ name: "X-B", value: "2" }], remove: ["X-C"] };
const requestFilters = [
  { type: "RequestHeaderModifier", requestHeaderModifier: headers },
  { type: "ResponseHeaderModifier", responseHeaderModifier: headers },
  { type: "RequestMirror", requestMirror: { backendRef: to, percent: 5 } },
  { type: "RequestMirror", requestMirror: { backendRef: to, fraction: { numerator: 1, denominator: 3 } } },
  { type: "ExtensionRef", extensionRef: { group: "example.com", kind: "Filter", name: "f" } },
];
const cors = {
  ...{ allowOrigins: ["https://a.example", "http://*.b.example:8080"], allowCredentials: true, maxAge: 5 },
  ...{ allowMethods: ["GET", "PUT"], allowHeaders: ["X-A", "X-B"], exposeHeaders: ["X-C"] },
};
const ofHttp = {
  ...{ protocol: "HTTP", backendRef: to, forwardBody: { maxSize: 5 } },
  http: { path: "/p", allowedHeaders: ["x"], allowedResponseHeaders: ["y"] },
};
const filters = [
  ...requestFilters,
  {
    type: "URLRewrite",
    urlRewrite: { hostname: "b.example", path: { type: "ReplacePrefixMatch", replacePrefixMatch: "/x" } },
  },
  { type: "CORS", cors },
  { type: "ExternalAuth", externalAuth: ofHttp },
  { type: "ExternalAuth", externalAuth: { protocol: "GRPC", backendRef: to, grpc: { allowedHeaders: ["x"] } } },
];
const redirect = {
  type: "RequestRedirect",
  requestRedirect: {
    ...{ scheme: "https", hostname: "c.example", port: 444, statusCode: 301 },
    path: { type: "ReplaceFullPath", replaceFullPath: "/y" },
  },
};
const match = (type: string) => ({ type, name: "a", value: "b" });
const session = { type: "Cookie", absoluteTimeout: "1h", cookie: { name: "s", path: "/", lifetimeType: "Permanent" } };
const selector = {
  matchLabels: { team: "a" },
  matchExpressions: [{ key: "team", operator: "In", values: ["a"] }],
};
const clients = { validation: { caCertificateRefs: [{ group: "", kind: "ConfigMap", name: "ca" }] } };
const listeners = [
  {
    ...{ name: "https", hostname: "*.example", port: 443, protocol: "HTTPS" },
    tls: {
      mode: "Terminate",
      certificateRefs: [{ name: "tls", namespace: "other" }],
      options: { "example.com/a": "b" },
    },
    allowedRoutes: {
      namespaces: { from: "Selector", selector },
      kinds: [{ group: gatewayGroup, kind: "HTTPRoute" }],
    },
  },
  { name: "http", port: 80, protocol: "HTTP", filters: { requests: [{ type: "ExternalAuth", externalAuth: ofHttp }] } },
  { name: "tls", port: 8443, protocol: "TLS", hostname: "t.example", tls: { mode: "Passthrough" } },
  { name: "tcp", port: 9000, protocol: "TCP" },
];
const streamRules = [{ name: "all", backendRefs: [{ ...to, weight: 2 }] }];

export const validObjects: readonly Mapping[] = [
  object("networking.k8s.io/v1", "Ingress", {
    spec: {
      ingressClassName: "nginx",
      defaultBackend: { resource: { apiGroup: "example.com", kind: "Bucket", name: "b" } },
      tls: [{ hosts: ["a.example", "*.b.example"], secretName: "s" }],
      rules: [
        {
          host: "a.example",
          http: {
            paths: [
              { path: "/", pathType: "Prefix", backend: { service: { name: "web", port: { number: 80 } } } },
              { path: "/x", pathType: "Exact", backend: { service: { name: "x", port: { name: "http" } } } },
              { pathType: "ImplementationSpecific", backend: { service: { name: "x", port: { name: "http" } } } },
            ],
          },
        },
      ],
    },
  }),
  object(
    "networking.k8s.io/v1",
    "IngressClass",
    { spec: { controller: "k8s.io/ingress-nginx", parameters: { apiGroup: "example.com", kind: "P", name: "p" } } },
    true,
  ),
  object("v1", "Service", {
    spec: {
      ...{ type: "ClusterIP", selector: { app: "web" }, externalIPs: ["198.51.100.7"] },
      ports: [
        { name: "http", port: 80, protocol: "TCP", targetPort: 8080, appProtocol: "kubernetes.io/h2c" },
        { name: "https", port: 443, targetPort: "tls" },
      ],
    },
  }),
  object("v1", "Service", { spec: { type: "ExternalName", externalName: "web.example.com" } }),
  object("discovery.k8s.io/v1", "EndpointSlice", {
    addressType: "IPv4",
    ports: [{ name: "http", port: 8080, protocol: "TCP", appProtocol: "http" }],
    endpoints: [
      {
        ...{ addresses: ["10.0.0.1", "10.0.0.2"], conditions: { ready: true, serving: true, terminating: false } },
        ...{ hostname: "a", nodeName: "n", zone: "z", hints: { forZones: [{ name: "z" }] } },
        targetRef: { kind: "Pod", name: "web-1", namespace: "default" },
      },
    ],
  }),
  object("v1", "Endpoints", {
    subsets: [
      {
        addresses: [{ ip: "10.0.0.1", hostname: "a", nodeName: "n" }],
        notReadyAddresses: [{ ip: "10.0.0.2" }],
        ports: [{ name: "http", port: 8080, protocol: "TCP" }],
      },
    ],
  }),
  object("v1", "Secret", {
    type: "kubernetes.io/tls",
    ...{ data: { "tls.crt": "YQ==", "tls.key": "YQ==" }, stringData: { "ca.crt": "x" }, immutable: true },
  }),
  object("v1", "ConfigMap", { data: { a: "b", "c.d": "" }, binaryData: { e: "YQ==" }, immutable: false }),
  object("v1", "Namespace", { spec: { finalizers: ["kubernetes"] } }, true),
  ofGateways(
    "GatewayClass",
    {
      ...{ controllerName: "sluice.dev/gateway-controller", description: "d" },
      parametersRef: { group: "", kind: "ConfigMap", name: "p", namespace: "ns" },
    },
    "v1",
    true,
  ),
  ofGateways("Gateway", {
    ...{ gatewayClassName: "sluice", listeners, defaultScope: "None" },
    addresses: [{ type: "IPAddress", value: "192.0.2.10" }, { type: "Hostname", value: "gw.example" }, {}],
    infrastructure: {
      ...{ labels: { a: "b" }, annotations: { "example.com/c": "d" } },
      parametersRef: { group: "", kind: "ConfigMap", name: "p" },
    },
    allowedListeners: { namespaces: { from: "Selector", selector } },
    tls: {
      frontend: { default: clients, perPort: [{ port: 443, tls: clients }] },
      backend: { clientCertificateRef: { name: "tls" } },
    },
  }),
  ofGateways("ListenerSet", { parentRef: { name: "gw", namespace: "infra" }, listeners }),
  ...["v1", "v1beta1"].map((version) =>
    ofGateways(
      "HTTPRoute",
      {
        ...{ parentRefs, hostnames: ["a.example", "*.b.example"] },
        rules: [
          {
            name: "one",
            matches: [
              {
                path: { type: "PathPrefix", value: "/a" },
                ...{ headers: [match("Exact")], queryParams: [match("RegularExpression")], method: "GET" },
              },
            ],
            filters,
            backendRefs: [{ ...to, weight: 2, filters: requestFilters }],
            timeouts: { request: "5s", backendRequest: "1s" },
            retry: { codes: [500, 503], attempts: 2, backoff: "10ms" },
            sessionPersistence: session,
          },
          { matches: [{ path: { type: "Exact", value: "/b" } }, { path: { value: "/c" } }], filters: [redirect] },
        ],
      },
      version,
    ),
  ),
  ofGateways("GRPCRoute", {
    ...{ parentRefs, hostnames: ["g.example"] },
    rules: [
      {
        name: "one",
        matches: [{ method: { type: "Exact", service: "shop.v1.Items", method: "Get" }, headers: [match("Exact")] }],
        ...{ filters: requestFilters, backendRefs: [{ ...to, weight: 1, filters: requestFilters.slice(0, 2) }] },
        sessionPersistence: { type: "Header", header: { name: "X-S" } },
      },
    ],
  }),
  ofGateways("TLSRoute", { parentRefs, hostnames: ["t.example"], rules: streamRules }),
  ofGateways("TCPRoute", { parentRefs, rules: streamRules }),
  ofGateways("UDPRoute", { parentRefs, rules: [...streamRules, { backendRefs: [to] }] }, "v1alpha2"),
  ofGateways("BackendTLSPolicy", {
    targetRefs: [
      { group: "", kind: "Service", name: "web", sectionName: "http" },
      { group: "", kind: "Service", name: "other" },
    ],
    validation: {
      ...{ hostname: "web.example", caCertificateRefs: [{ group: "", kind: "ConfigMap", name: "ca" }] },
      subjectAltNames: [
        { type: "Hostname", hostname: "a.example" },
        { type: "URI", uri: "spiffe://a/b" },
      ],
    },
    options: { "example.com/a": "b" },
  }),
  ofGateways("ReferenceGrant", {
    from: [{ group: gatewayGroup, kind: "HTTPRoute", namespace: "ns" }],
    to: [{ group: "", kind: "Service", name: "web" }],
  }),
  object("sluice.dev/v1alpha1", "RouteSettings", {
    spec: {
      targetRefs: [{ group: gatewayGroup, kind: "Gateway", name: "gw", sectionName: "http" }],
      ...{ "limit-rps": 5, "proxy-body-size": "1m" },
    },
  }),
];
