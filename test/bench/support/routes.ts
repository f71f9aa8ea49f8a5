/** Gateways and routes for the hosts of `hosts.ts`: route `at` leads to the Service of its host. */

const group = "gateway.networking.k8s.io/v1";

const metadata = (name: string) => ({
  name,
  namespace: "shop",
  uid: name,
  generation: 1,
  creationTimestamp: "2026-01-01T00:00:00Z",
});

export const gatewayClass = {
  apiVersion: group,
  kind: "GatewayClass",
  metadata: { name: "sluice" },
  spec: { controllerName: "sluice.dev/gateway-controller" },
};

/** Makes a Gateway with one listener for all hosts. */
export function gateway(name: string, port: number) {
  const spec = { gatewayClassName: "sluice", listeners: [{ name: "web", port, protocol: "HTTP" }] };
  return { apiVersion: group, kind: "Gateway", metadata: metadata(name), spec };
}

export function route(at: number, { gateway: parent, host }: { readonly gateway: string; readonly host: string }) {
  const rules = [{ backendRefs: [{ name: `app-${at}`, port: 80 }] }];
  const spec = { parentRefs: [{ name: parent }], hostnames: [host], rules };
  return { apiVersion: group, kind: "HTTPRoute", metadata: metadata(`${parent}-${at}`), spec };
}

/** Returns a name of the same length that no Ingress has. */
export const besideOf = (host: string): string => host.replace(/^host/, "else");
