/**
 * The Service that a Gateway should have. `translate/` says it as a part of the Gateway's desired
 * status; the leader writes it.
 *
 * A Service is Sluice's own only with all three: the label, the annotation with the name of this
 * controller, and the Gateway as the owner. Everything else is never touched.
 */
import { type EndpointSlice, type KubernetesObject, keyOf, type Service } from "../objects.ts";
import { type Gateway, gatewayGroup } from "./objects.ts";

/** On Services and EndpointSlices. */
export const managedByLabel = "app.kubernetes.io/managed-by";
export const managedBySluice = "sluice-gateway-services";
/** The name of the controller, which is no value of a label. */
export const controllerAnnotation = "sluice.dev/gateway-controller-name";
/**
 * Keys of labels and annotations that were copied from the Gateway, so that they go when they go
 * there.
 */
export const copiedAnnotation = "sluice.dev/copied-from-gateway";

export type TransportProtocol = "TCP" | "UDP";

export interface DesiredServicePort {
  readonly name: string;
  /** The port that clients see. */
  readonly port: number;
  readonly protocol: TransportProtocol;
}

export interface ServiceParameters {
  readonly type: "LoadBalancer" | "NodePort" | "ClusterIP";
  readonly externalTrafficPolicy?: string;
  readonly internalTrafficPolicy?: string;
  readonly loadBalancerClass?: string;
  readonly loadBalancerSourceRanges?: readonly string[];
  readonly allocateLoadBalancerNodePorts?: boolean;
  readonly ipFamilyPolicy?: string;
  readonly ipFamilies?: readonly string[];
}

export interface DesiredService {
  /** In the Gateway's namespace. */
  readonly name: string;
  /** Empty while no listener can be served: then a Service that is there stays as it is. */
  readonly ports: readonly DesiredServicePort[];
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /**
   * Undefined where they cannot be read: a Service that is there keeps its own, and none is made.
   */
  readonly parameters: ServiceParameters | undefined;
}

/** `80/TCP`: names a port of one Gateway. */
export function portKey({ port, protocol }: Pick<DesiredServicePort, "port" | "protocol">): string {
  return `${port}/${protocol}`;
}

/**
 * Whether Sluice wrote it for a Gateway, whichever controller of that name and whichever Gateway.
 */
export function isMarked({ metadata: { labels } }: KubernetesObject): boolean {
  return labels?.[managedByLabel] === managedBySluice;
}

/**
 * The uid of the Gateway that a Service of this controller is for; undefined for every other
 * Service.
 */
export function ownerUidOf(service: Service, controllerName: string): string | undefined {
  const { annotations, ownerReferences = [] } = service.metadata;
  if (!isMarked(service) || annotations?.[controllerAnnotation] !== controllerName) return undefined;
  const isGateway = ({ apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }) =>
    kind === "Gateway" && apiVersion.startsWith(`${gatewayGroup}/`);
  return ownerReferences.find((owner) => owner.controller === true && isGateway(owner))?.uid;
}

/** Whether it was made for this very Gateway, not for one of the same name that has gone. */
export function isServiceOf(service: Service, { metadata }: Gateway, controllerName: string): boolean {
  const owner = ownerUidOf(service, controllerName);
  return owner !== undefined && owner === metadata.uid && service.metadata.namespace === metadata.namespace;
}

/**
 * Whether it is a slice that Sluice wrote for this Service, or for one of its name that was
 * deleted.
 */
export function isSliceOf(slice: EndpointSlice, service: Service): boolean {
  const owners = slice.metadata.ownerReferences ?? [];
  return isMarked(slice) && owners.some(({ kind, name }) => kind === "Service" && name === service.metadata.name);
}

/** The target port that a Service names for a port of its Gateway. */
export function namedTarget(service: Service | undefined, wanted: DesiredServicePort): number | undefined {
  const found = service?.spec?.ports?.find(
    ({ port, protocol = "TCP" }) => port === wanted.port && protocol === wanted.protocol,
  );
  return typeof found?.targetPort === "number" ? found.targetPort : undefined;
}

/** `namespace/name` of the Service of a Gateway. */
export function serviceKeyOf(gateway: Gateway, { name }: Pick<DesiredService, "name">): string {
  return keyOf({ ...gateway, metadata: { ...gateway.metadata, name } });
}
