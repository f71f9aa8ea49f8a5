/** Objects of a TCPRoute with one Service, for benchmarks of streams. */

const group = "gateway.networking.k8s.io/v1";
const metadata = (name: string) => ({ name, namespace: "shop", uid: name, creationTimestamp: "2026-01-01T00:00:00Z" });

/** Makes everything but the endpoints. */
export const tcpRoute = (listenPort: number) => [
  {
    apiVersion: group,
    kind: "GatewayClass",
    metadata: { name: "sluice" },
    spec: { controllerName: "sluice.dev/gateway-controller" },
  },
  {
    apiVersion: group,
    kind: "Gateway",
    metadata: metadata("public"),
    spec: { gatewayClassName: "sluice", listeners: [{ name: "db", port: listenPort, protocol: "TCP" }] },
  },
  {
    apiVersion: group,
    kind: "TCPRoute",
    metadata: metadata("db"),
    spec: { parentRefs: [{ name: "public" }], rules: [{ backendRefs: [{ name: "db", port: 5432 }] }] },
  },
  {
    apiVersion: "v1",
    kind: "Service",
    metadata: metadata("db"),
    spec: { ports: [{ name: "db", port: 5432, protocol: "TCP" }] },
  },
];

/** Makes the endpoints of the Service. */
export const tcpSlice = (addresses: readonly string[], port: number) => ({
  apiVersion: "discovery.k8s.io/v1",
  kind: "EndpointSlice",
  metadata: { ...metadata("db-1"), labels: { "kubernetes.io/service-name": "db" } },
  addressType: "IPv4",
  endpoints: addresses.map((address) => ({ addresses: [address] })),
  ports: [{ name: "db", port, protocol: "TCP" }],
});
