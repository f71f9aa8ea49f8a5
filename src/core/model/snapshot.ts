/**
 * The state of a source at one moment, as a value. `cluster/` makes it from informers and
 * `manifests/` from a folder; the code behind it cannot tell them apart. Keys are those of `keyOf`.
 */
import type { BackendTLSPolicy } from "./gateway/backend-tls-policy.ts";
import type { DefinitionVersions } from "./gateway/definition-versions.ts";
import type { ListenerSet } from "./gateway/listener-set.ts";
import type { Gateway, GatewayClass, HTTPRoute, ReferenceGrant } from "./gateway/objects.ts";
import type { RouteSettings } from "./gateway/route-settings.ts";
import type { GRPCRoute, TCPRoute, TLSRoute, UDPRoute } from "./gateway/routes.ts";
import type {
  ConfigMap,
  EndpointSlice,
  Ingress,
  IngressClass,
  KubernetesObject,
  Namespace,
  Secret,
  Service,
} from "./objects.ts";
import { Table } from "./table.ts";

export interface Snapshot {
  readonly ingresses: Table<Ingress>;
  /**
   * Undefined if the controller may not list them. Then only the class annotation counts
   * (RS-1.4).
   */
  readonly ingressClasses: Table<IngressClass> | undefined;
  readonly services: Table<Service>;
  readonly endpointSlices: Table<EndpointSlice>;
  readonly secrets: Table<Secret>;
  readonly configMaps: Table<ConfigMap>;
  readonly namespaces: Table<Namespace>;
  /**
   * Empty if the API server lacks the kind, or the controller may not list it; the same holds
   * for the kinds below.
   */
  readonly gatewayClasses: Table<GatewayClass>;
  readonly gateways: Table<Gateway>;
  readonly httpRoutes: Table<HTTPRoute>;
  readonly referenceGrants: Table<ReferenceGrant>;
  readonly grpcRoutes: Table<GRPCRoute>;
  readonly tlsRoutes: Table<TLSRoute>;
  readonly tcpRoutes: Table<TCPRoute>;
  readonly udpRoutes: Table<UDPRoute>;
  readonly listenerSets: Table<ListenerSet>;
  readonly backendTLSPolicies: Table<BackendTLSPolicy>;
  readonly routeSettings: Table<RouteSettings>;
  /** The versions of the Gateway API's definitions; undefined in folders, where there are none. */
  readonly definitionVersions: DefinitionVersions | undefined;
  /**
   * Addresses of the pool on which nginx can listen here. Undefined if that was not tried; then
   * all of them count.
   */
  readonly localAddresses: ReadonlySet<string> | undefined;
  /**
   * Addresses of ExternalName hosts, by lower-case name; a name that does not resolve has an empty
   * list.
   */
  readonly addresses: Table<readonly string[]>;
  /** OCSP answers in base64, by the fingerprint of their Certificate. */
  readonly staples: Table<string>;
  /**
   * Objects on which the source itself failed, by `Kind namespace/name`. Their former versions stay
   * in the tables above.
   */
  readonly failures: Table<SourceFailure>;
}

/** An object on which the source failed, which is a bug in Sluice. */
export interface SourceFailure {
  /** The object without its content, so that an Event can name it. */
  readonly object: KubernetesObject;
  readonly why: string;
}

export const emptySnapshot: Snapshot = {
  ingresses: Table.empty(),
  ingressClasses: Table.empty(),
  services: Table.empty(),
  endpointSlices: Table.empty(),
  secrets: Table.empty(),
  configMaps: Table.empty(),
  namespaces: Table.empty(),
  gatewayClasses: Table.empty(),
  gateways: Table.empty(),
  httpRoutes: Table.empty(),
  referenceGrants: Table.empty(),
  grpcRoutes: Table.empty(),
  tlsRoutes: Table.empty(),
  tcpRoutes: Table.empty(),
  udpRoutes: Table.empty(),
  listenerSets: Table.empty(),
  backendTLSPolicies: Table.empty(),
  routeSettings: Table.empty(),
  definitionVersions: undefined,
  localAddresses: undefined,
  addresses: Table.empty(),
  staples: Table.empty(),
  failures: Table.empty(),
};

/** The kinds of object a Snapshot holds, by `kind`. */
export const tableOf = {
  Ingress: "ingresses",
  IngressClass: "ingressClasses",
  Service: "services",
  EndpointSlice: "endpointSlices",
  Secret: "secrets",
  ConfigMap: "configMaps",
  Namespace: "namespaces",
  GatewayClass: "gatewayClasses",
  Gateway: "gateways",
  HTTPRoute: "httpRoutes",
  ReferenceGrant: "referenceGrants",
  GRPCRoute: "grpcRoutes",
  TLSRoute: "tlsRoutes",
  TCPRoute: "tcpRoutes",
  UDPRoute: "udpRoutes",
  ListenerSet: "listenerSets",
  BackendTLSPolicy: "backendTLSPolicies",
  RouteSettings: "routeSettings",
} as const satisfies Record<string, keyof Snapshot>;

export type WatchedKind = keyof typeof tableOf;

export interface ObjectChange {
  readonly kind: WatchedKind;
  readonly key: string;
  /** Undefined if the object is gone. */
  readonly object: KubernetesObject | undefined;
}

/** Returns `snapshot` with the objects of `changes` added, replaced or removed. */
export function withObjects(snapshot: Snapshot, changes: readonly ObjectChange[]): Snapshot {
  const next: Record<string, unknown> = { ...snapshot };
  for (const [kind, some] of Map.groupBy(changes, (change) => change.kind)) {
    const table = (snapshot[tableOf[kind]] ?? Table.empty()) as Table<KubernetesObject>;
    next[tableOf[kind]] = table.with(some.map(({ key, object }) => [key, object] as const));
  }
  return next as unknown as Snapshot;
}
