/**
 * Changes objects that have nothing to do with the suite, all the time: ConfigMaps, Ingresses,
 * EndpointSlices and HTTPRoutes in a namespace of their own. A controller has to process each
 * change, because the content differs.
 */

import { configMaps, endpointSlices, httpRoutes, ingresses } from "../../../src/edges/resources.ts";
import { Client, kubeConfigCredentials } from "../../../src/kube/index.ts";
import type { Cluster } from "../../e2e/support/cluster.ts";
import { apply } from "../../e2e/support/sluice.ts";

export interface Churn {
  /** Ends it, and returns the number of changes that the API server accepted per second. */
  stop(): Promise<number>;
}

const namespace = "churn";
/** The number of objects of each kind. */
const count = 25;

const rules = (nth: number) => [
  {
    host: `i${nth % count}.churn.example`,
    http: {
      paths: [{ path: `/${nth}`, pathType: "Prefix", backend: { service: { name: "web", port: { number: 80 } } } }],
    },
  },
];
const endpoints = (nth: number) => [{ addresses: [`198.18.${nth % 250}.${Math.floor(nth / 250) % 250}`] }];
const matches = (nth: number) => [{ path: { type: "PathPrefix", value: `/${nth}` } }];

/** For each kind the object, and its change. */
const kinds = [
  {
    resource: configMaps,
    first: (name: string) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { namespace, name }, data: {} }),
    change: (nth: number) => ({ data: { nth: `${nth}` } }),
  },
  {
    resource: ingresses,
    first: (name: string, nth: number) => ({
      apiVersion: "networking.k8s.io/v1",
      kind: "Ingress",
      metadata: { namespace, name },
      spec: { ingressClassName: "nginx", rules: rules(nth) },
    }),
    change: (nth: number) => ({ spec: { rules: rules(nth) } }),
  },
  {
    resource: endpointSlices,
    first: (name: string, nth: number) => ({
      apiVersion: "discovery.k8s.io/v1",
      kind: "EndpointSlice",
      metadata: { namespace, name, labels: { "kubernetes.io/service-name": "web" } },
      addressType: "IPv4",
      ports: [{ port: 80 }],
      endpoints: endpoints(nth),
    }),
    change: (nth: number) => ({ endpoints: endpoints(nth) }),
  },
  {
    resource: httpRoutes,
    first: (name: string, nth: number) => ({
      apiVersion: "gateway.networking.k8s.io/v1",
      kind: "HTTPRoute",
      metadata: { namespace, name },
      spec: {
        parentRefs: [{ name: "churn" }],
        hostnames: [`${name}.churn.example`],
        rules: [{ matches: matches(nth), backendRefs: [{ name: "web", port: 80 }] }],
      },
    }),
    change: (nth: number) => ({
      spec: { rules: [{ matches: matches(nth), backendRefs: [{ name: "web", port: 80 }] }] },
    }),
  },
] as const;

/** Changes `perSecond` objects a second until it is stopped. */
export async function startChurn(cluster: Cluster, gatewayClass: string, perSecond: number): Promise<Churn> {
  await apply(cluster, [
    { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } },
    {
      apiVersion: "networking.k8s.io/v1",
      kind: "IngressClass",
      metadata: { name: "nginx" },
      spec: { controller: "k8s.io/ingress-nginx" },
    },
    { apiVersion: "v1", kind: "Service", metadata: { namespace, name: "web" }, spec: { ports: [{ port: 80 }] } },
    {
      apiVersion: "gateway.networking.k8s.io/v1",
      kind: "Gateway",
      metadata: { namespace, name: "churn" },
      spec: { gatewayClassName: gatewayClass, listeners: [{ name: "http", port: 80, protocol: "HTTP" }] },
    },
    ...kinds.flatMap(({ first }) => Array.from({ length: count }, (_, nth) => first(`one-${nth}`, nth))),
  ] as never);
  const client = new Client(await kubeConfigCredentials([cluster.kubeconfig()]));
  const stopping = new AbortController();
  const began = performance.now();
  let [sent, taken] = [0, 0];
  const refused = new Set<string>();
  const step = (): void => {
    const due = ((performance.now() - began) / 1000) * perSecond;
    for (; sent < due; sent++) {
      const { resource, change } = kinds[sent % kinds.length]!;
      const name = { namespace, name: `one-${Math.floor(sent / kinds.length) % count}` };
      const patched = client.patch(resource as never, name, { type: "merge", body: change(sent) }, stopping.signal);
      void patched.then((answer) => {
        if (answer.ok) taken += 1;
        else if (!stopping.signal.aborted) refused.add(answer.failure.message);
      });
    }
  };
  const timer = setInterval(step, 20);
  return {
    async stop() {
      clearInterval(timer);
      const seconds = (performance.now() - began) / 1000;
      stopping.abort();
      client.close();
      if (refused.size > 0) console.log(`churn: some changes were not taken: ${[...refused].join(", ")}`);
      return taken / seconds;
    },
  };
}
