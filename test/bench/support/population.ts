/**
 * A cluster of the size of the benchmark: `count` Ingresses, each with a Service and two
 * EndpointSlices.
 */
import { type KubernetesObject, type Resource, resource } from "../../../src/kube/index.ts";

export const ingresses = resource({
  apiVersion: "networking.k8s.io/v1",
  kind: "Ingress",
  plural: "ingresses",
  namespaced: true,
});
export const services = resource({ apiVersion: "v1", kind: "Service", plural: "services", namespaced: true });
export const endpointSlices = resource({
  apiVersion: "discovery.k8s.io/v1",
  kind: "EndpointSlice",
  plural: "endpointslices",
  namespaced: true,
});

type Creation = readonly [Resource<KubernetesObject>, KubernetesObject];

export function* objectsOf(count: number): Generator<Creation, void> {
  for (let i = 0; i < count; i += 1) {
    yield [ingresses, ingress(i)];
    yield [services, service(i)];
    yield [endpointSlices, endpointSlice(i, 0)];
    yield [endpointSlices, endpointSlice(i, 1)];
  }
}

const meta = (name: string, more: object = {}) => ({
  namespace: "default",
  name,
  labels: { "app.kubernetes.io/name": name, "app.kubernetes.io/managed-by": "Helm" },
  ...more,
});

function ingress(i: number): KubernetesObject & { spec: unknown } {
  const backend = { service: { name: `app-${i}`, port: { number: 80 } } };
  const annotations = { "nginx.ingress.kubernetes.io/proxy-body-size": "8m" };
  return {
    apiVersion: ingresses.apiVersion,
    kind: ingresses.kind,
    metadata: meta(`app-${i}`, { annotations }),
    spec: {
      ingressClassName: "nginx",
      tls: [{ hosts: [`app-${i}.example.com`], secretName: `app-${i}-tls` }],
      rules: [{ host: `app-${i}.example.com`, http: { paths: [{ path: "/", pathType: "Prefix", backend }] } }],
    },
  };
}

function service(i: number): KubernetesObject & { spec: unknown } {
  const ports = [{ name: "http", port: 80, targetPort: 8080 }];
  const spec = { selector: { app: `app-${i}` }, ports };
  return { apiVersion: services.apiVersion, kind: services.kind, metadata: meta(`app-${i}`), spec };
}

function endpointSlice(i: number, part: number): KubernetesObject {
  const address = (n: number) => `10.${(i >> 8) & 255}.${i & 255}.${part * 10 + n + 1}`;
  const endpoint = (n: number) => ({ addresses: [address(n)], conditions: { ready: true, serving: true } });
  const slice = {
    apiVersion: endpointSlices.apiVersion,
    kind: endpointSlices.kind,
    metadata: meta(`app-${i}-${part}`, { labels: { "kubernetes.io/service-name": `app-${i}` } }),
    addressType: "IPv4",
    endpoints: [0, 1, 2].map(endpoint),
    ports: [{ name: "http", port: 8080, protocol: "TCP" }],
  };
  return slice;
}
