/**
 * What all worlds have in common: Ingresses and the Gateway `ns/gw` share the first two of four
 * ports, other Gateways ask for addresses, and each Service has a backend with an address of its
 * own.
 */
import type { DecideOptions } from "../../src/ask/matcher/decide.ts";
import { forOperator, strictPolicy } from "../../src/core/kinds/asked.ts";
import { type KubernetesObject, keyOf } from "../../src/core/model/objects.ts";
import { emptySnapshot, type Snapshot, type WatchedKind, withObjects } from "../../src/core/model/snapshot.ts";
import { defaultOptions, type TranslateOptions } from "../../src/core/table/options.ts";

export interface World {
  readonly objects: readonly KubernetesObject[];
  /** `namespace/name` of the Services. */
  readonly services: readonly string[];
}

/** The addresses of other Gateways, which ask for them in `spec.addresses`. */
const ownAddresses = ["127.102.0.1", "127.102.0.2"];
/** The ports of backends; those for gRPC have HTTP/2 only. */
export const backendPorts = { http: 9100, calls: 9101 };

/** `base` is the first port. */
export function worldOptions(base: number): TranslateOptions {
  const gateway = {
    ...defaultOptions.gateway,
    ...{ shared: "ns/gw", httpPort: base, httpsPort: base + 1, addresses: ownAddresses },
  };
  return { ...defaultOptions, asked: forOperator(strictPolicy), defaultServerPort: base + 2, gateway };
}

export function worldDecideOptions(base: number): DecideOptions {
  const ports = { http: base, https: base + 1 };
  return { ownPaths: ["/healthz", "/nginx_status"], builtInPort: base + 2, ports };
}

export function snapshotOf({ objects, services }: World): Snapshot {
  return withObjects(
    emptySnapshot,
    [...services.flatMap(serviceOf), ...objects].map((object) => ({
      kind: object.kind as WatchedKind,
      key: keyOf(object),
      object,
    })),
  );
}

/** Returns the Service with the address of its backend. */
export function serviceAt(address: string, services: readonly string[]): string | undefined {
  const at = /^127\.103\.(\d+)\.(\d+)$/.exec(address);
  return at === null ? undefined : services[Number(at[1]) * 200 + Number(at[2]) - 1];
}

const addressOf = (nth: number): string => `127.103.${Math.floor(nth / 200)}.${(nth % 200) + 1}`;

/** The Service `none` has no endpoint, and those of `calls` have HTTP/2. */
function serviceOf(key: string, nth: number): KubernetesObject[] {
  const [namespace = "", name = ""] = key.split("/");
  const metadata = { name, namespace };
  const slice = { ...metadata, labels: { "kubernetes.io/service-name": name } };
  const backendPort = name.startsWith("calls") ? backendPorts.calls : backendPorts.http;
  const endpoints = name === "none" ? [] : [{ addresses: [addressOf(nth)], conditions: { ready: true } }];
  return [
    { apiVersion: "v1", kind: "Service", metadata, spec: { ports: [{ port: 80, targetPort: backendPort }] } },
    {
      ...{ apiVersion: "discovery.k8s.io/v1", kind: "EndpointSlice", metadata: slice, addressType: "IPv4", endpoints },
      ports: [{ port: backendPort, protocol: "TCP" }],
    },
  ] as unknown as KubernetesObject[];
}
