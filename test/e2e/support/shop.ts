/**
 * Backends that answer, and the objects that lead to them: Services with EndpointSlices written by
 * hand, and Ingresses. One namespace, `shop`.
 */
import { type Answer, type RequestOptions, request } from "../../nginx/support/request.ts";
import { type EchoBackends, type Seen, startEchoBackends } from "../../support/echo-backend.ts";
import { ingress as plainIngress } from "../../support/ingress.ts";
import { type Pki, sharedPki } from "../../support/pki.ts";

/** Services, and the address of the one backend behind each. */
const addresses = { "echo-a": "192.0.2.11", "echo-b": "192.0.2.12" } as const;

/**
 * No client uses these ports; with the usual one, 8443, they would collide with the webhook of a
 * controller in the same network.
 */
const httpsPort = 9443;
export type Backend = keyof typeof addresses;

export interface Shop {
  readonly pki: Pki;
  readonly stop: () => Promise<void>;
}

export async function openShop(): Promise<Shop> {
  const pki = await sharedPki();
  const { certificate, key } = pki.backend;
  const backends: EchoBackends = await startEchoBackends({
    addresses: Object.values(addresses),
    certificate,
    key,
    httpsPort,
  });
  return { pki, stop: backends.stop };
}

/** Returns a Service whose one backend listens on port 8080 of this address. */
export const serviceAt = (name: string, address: string): readonly object[] => [
  {
    apiVersion: "v1",
    kind: "Service",
    metadata: { namespace: "shop", name },
    spec: { ports: [{ name: "http", port: 80, targetPort: 8080 }] },
  },
  {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: { namespace: "shop", name: `${name}-1`, labels: { "kubernetes.io/service-name": name } },
    addressType: "IPv4",
    ports: [{ name: "http", port: 8080, protocol: "TCP" }],
    endpoints: [{ addresses: [address], conditions: { ready: true } }],
  },
];

/** The namespace and the Services. */
export const shopObjects: readonly object[] = [
  { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } },
  ...Object.entries(addresses).flatMap(([name, address]) => serviceAt(name, address)),
];

export interface IngressOptions {
  readonly service?: string;
  /** `nginx` by default; empty for none. */
  readonly ingressClass?: string;
  readonly namespace?: string;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly tls?: string;
}

/** Returns an Ingress with one host, `NAME.example`, and one path. */
export function ingress(name: string, options: IngressOptions = {}): object {
  const { service = "echo-a", ingressClass = "nginx", namespace = "shop", annotations = {}, tls } = options;
  const words = { name, namespace, host: `${name}.example`, paths: [["/", service]], ingressClass, tls } as const;
  const { metadata, ...rest } = plainIngress(words);
  return { ...rest, metadata: { ...metadata, annotations } };
}

/**
 * Returns the answer of `NAME.example`: the backend's address, or the status if it is not 200.
 */
export async function answerOf(name: string, options: Partial<RequestOptions> = {}): Promise<Backend | number> {
  const answer: Answer = await request({ to: "127.0.0.1:80", host: `${name}.example`, ...options });
  if (answer.status !== 200) return answer.status;
  const { backend } = JSON.parse(answer.body) as Seen;
  return (Object.keys(addresses) as Backend[]).find((service) => addresses[service] === backend) ?? 0;
}
