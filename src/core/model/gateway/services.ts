/**
 * The Service that a Gateway should have. `translate/` makes it as a part of the Gateway's desired
 * status, and the leader writes it.
 *
 * A Service counts as Sluice's own only with all three: the label, the annotation with the name of
 * this controller, and the Gateway as the owner. Sluice never writes any other Service.
 */
import { type EndpointSlice, type KubernetesObject, keyOf, type Service } from "../objects.ts";
import { type Gateway, gatewayGroup } from "./objects.ts";

/** The label of Services and EndpointSlices that Sluice writes. */
export const managedByLabel = "app.kubernetes.io/managed-by";
export const managedBySluice = "sluice-gateway-services";
/** The annotation with the name of the controller, which cannot be the value of a label. */
export const controllerAnnotation = "sluice.dev/gateway-controller-name";
/**
 * The annotation with the keys that were copied from the Gateway, so that they are removed when the
 * Gateway has them no longer.
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
  /** Empty while no listener can be served. Then an existing Service stays as it is. */
  readonly ports: readonly DesiredServicePort[];
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /**
   * Undefined if they cannot be read. Then an existing Service keeps its own, and no Service is
   * created.
   */
  readonly parameters: ServiceParameters | undefined;
}

/** Returns, for example, `80/TCP`, which identifies a port of one Gateway. */
export function portKey({ port, protocol }: Pick<DesiredServicePort, "port" | "protocol">): string {
  return `${port}/${protocol}`;
}

/** Whether Sluice wrote the object, by its label alone: any controller, for any Gateway. */
export function isMarked({ metadata: { labels } }: KubernetesObject): boolean {
  return labels?.[managedByLabel] === managedBySluice;
}

/**
 * Returns the uid of the Gateway that owns a Service of this controller; undefined for every other
 * Service.
 */
export function ownerUidOf(service: Service, controllerName: string): string | undefined {
  const { annotations, ownerReferences = [] } = service.metadata;
  if (!isMarked(service) || annotations?.[controllerAnnotation] !== controllerName) return undefined;
  const isGateway = ({ apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }) =>
    kind === "Gateway" && apiVersion.startsWith(`${gatewayGroup}/`);
  return ownerReferences.find((owner) => owner.controller === true && isGateway(owner))?.uid;
}

/** Whether the Service was made for this Gateway, and not for a deleted one of the same name. */
export function isServiceOf(service: Service, { metadata }: Gateway, controllerName: string): boolean {
  const owner = ownerUidOf(service, controllerName);
  return owner !== undefined && owner === metadata.uid && service.metadata.namespace === metadata.namespace;
}

/** Whether Sluice wrote the slice for this Service, or for a deleted one of the same name. */
export function isSliceOf(slice: EndpointSlice, service: Service): boolean {
  const owners = slice.metadata.ownerReferences ?? [];
  return isMarked(slice) && owners.some(({ kind, name }) => kind === "Service" && name === service.metadata.name);
}

/** Returns the target port that a Service has for a port of its Gateway. */
export function namedTarget(service: Service | undefined, wanted: DesiredServicePort): number | undefined {
  const found = service?.spec?.ports?.find(
    ({ port, protocol = "TCP" }) => port === wanted.port && protocol === wanted.protocol,
  );
  return typeof found?.targetPort === "number" ? found.targetPort : undefined;
}

/** Returns `namespace/name` of the Service of a Gateway. */
export function serviceKeyOf(gateway: Gateway, { name }: Pick<DesiredService, "name">): string {
  return keyOf({ ...gateway, metadata: { ...gateway.metadata, name } });
}
