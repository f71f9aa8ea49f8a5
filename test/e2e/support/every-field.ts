/**
 * One object of each kind that is read in protobuf, with every field that the API server accepts,
 * and with empty values where JSON and protobuf treat these differently.
 */
import type { KubernetesObject } from "../../../src/core/model/objects.ts";

type WithStatus = KubernetesObject & { readonly status?: object };

const metadata = {
  namespace: "default",
  labels: { app: "web", empty: "" },
  annotations: { "example.com/text": "äöü 😀", "example.com/empty": "" },
  finalizers: ["example.com/kept"],
  ownerReferences: [
    { apiVersion: "v1", kind: "Pod", name: "owner", uid: "1", controller: true, blockOwnerDeletion: false },
    { apiVersion: "v1", kind: "Pod", name: "other", uid: "2" },
  ],
};
const port = { port: 443, protocol: "TCP", error: "example.com/Broken" };
const addresses = [{ ip: "192.0.2.1", ports: [port] }, { hostname: "lb.example" }];
const backend = { service: { name: "web", port: { number: 80 } } };

export const withEveryField: readonly WithStatus[] = [
  {
    apiVersion: "networking.k8s.io/v1",
    kind: "Ingress",
    metadata: { ...metadata, name: "every" },
    spec: {
      ingressClassName: "every",
      defaultBackend: { resource: { apiGroup: "example.com", kind: "Bucket", name: "b" } },
      tls: [{ hosts: ["a.example", "b.example"], secretName: "s" }, { hosts: ["c.example"] }, {}],
      rules: [
        { host: "a.example", http: { paths: [{ path: "/", pathType: "Prefix", backend }] } },
        { host: "b.example" },
        { http: { paths: [{ pathType: "ImplementationSpecific", backend }] } },
        {
          http: {
            paths: [{ path: "/x", pathType: "Exact", backend: { service: { name: "x", port: { name: "http" } } } }],
          },
        },
      ],
    },
    status: { loadBalancer: { ingress: addresses } },
  } as WithStatus,
  {
    apiVersion: "networking.k8s.io/v1",
    kind: "IngressClass",
    metadata: { ...metadata, namespace: undefined, name: "every" },
    spec: {
      controller: "example.com/every",
      parameters: { apiGroup: "example.com", kind: "P", name: "p", scope: "Namespace", namespace: "default" },
    },
  } as unknown as WithStatus,
  {
    apiVersion: "networking.k8s.io/v1",
    kind: "IngressClass",
    metadata: { name: "few" },
    spec: { controller: "example.com/few", parameters: { kind: "P", name: "p" } },
  } as WithStatus,
  {
    apiVersion: "v1",
    kind: "Service",
    metadata: { ...metadata, name: "every" },
    spec: {
      type: "LoadBalancer",
      selector: { app: "web" },
      externalIPs: ["192.0.2.9"],
      sessionAffinity: "ClientIP",
      sessionAffinityConfig: { clientIP: { timeoutSeconds: 5 } },
      loadBalancerIP: "192.0.2.8",
      loadBalancerSourceRanges: ["192.0.2.0/24"],
      loadBalancerClass: "example.com/lb",
      externalTrafficPolicy: "Local",
      internalTrafficPolicy: "Cluster",
      publishNotReadyAddresses: true,
      allocateLoadBalancerNodePorts: false,
      ipFamilyPolicy: "SingleStack",
      trafficDistribution: "PreferClose",
      ports: [
        { name: "a", port: 80, targetPort: "http", protocol: "TCP", appProtocol: "http", nodePort: 30_500 },
        { name: "b", port: 81, targetPort: 8081, protocol: "UDP" },
      ],
    },
    status: {
      loadBalancer: { ingress: [{ ip: "192.0.2.1", ipMode: "VIP", ports: [port] }, { hostname: "lb.example" }] },
      conditions: [
        {
          type: "Ready",
          status: "True",
          observedGeneration: 3,
          lastTransitionTime: "2026-01-02T03:04:05Z",
          reason: "Yes",
          message: "",
        },
      ],
    },
  } as WithStatus,
  {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "elsewhere", namespace: "default" },
    spec: { type: "ExternalName", externalName: "web.example" },
  } as WithStatus,
  {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: { ...metadata, name: "every" },
    addressType: "IPv4",
    ports: [{ name: "", port: 80, protocol: "TCP", appProtocol: "http" }, { name: "b" }],
    endpoints: [
      {
        addresses: ["192.0.2.10"],
        conditions: { ready: false, serving: true, terminating: false },
        hostname: "web-0",
        targetRef: {
          kind: "Pod",
          namespace: "default",
          name: "web-0",
          uid: "1",
          apiVersion: "v1",
          resourceVersion: "7",
          fieldPath: "spec",
        },
        deprecatedTopology: { "example.com/rack": "1" },
        nodeName: "n",
        zone: "z",
        hints: { forZones: [{ name: "z" }], forNodes: [{ name: "n" }] },
      },
      { addresses: ["192.0.2.11"], conditions: {} },
    ],
  } as WithStatus,
  {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { ...metadata, name: "every" },
    type: "example.com/kind",
    immutable: false,
    data: { text: "aGVsbG8=", binary: "AP/+gA==", empty: "" },
  } as WithStatus,
  {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { ...metadata, name: "every" },
    immutable: true,
    data: { __proto__x: "a", empty: "", "-": "b" },
    binaryData: { binary: "AP/+gA==" },
  } as WithStatus,
  {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { generateName: "few-", namespace: "default" },
  } as unknown as WithStatus,
  {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "hostile", namespace: "default" },
    data: JSON.parse('{"__proto__": "a", "constructor": "b"}'),
  } as WithStatus,
  {
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name: "every", labels: { app: "web" } },
    spec: { finalizers: ["kubernetes", "example.com/kept"] },
    status: {
      phase: "Active",
      conditions: [
        { type: "A", status: "False", lastTransitionTime: "2026-01-02T03:04:05Z", reason: "No", message: "text" },
      ],
    },
  } as WithStatus,
];
