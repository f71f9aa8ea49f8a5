/**
 * The kinds that a controller reads or writes in a cluster, as the API addresses them. Leases and
 * Events belong to the runtime in `kubernetes/`.
 */
import type { V1Pod, V1ValidatingWebhookConfiguration } from "@kubernetes/client-node";
import type { BackendTLSPolicy } from "../core/model/gateway/backend-tls-policy.ts";
import type { ListenerSet } from "../core/model/gateway/listener-set.ts";
import type { Gateway, GatewayClass, HTTPRoute, ReferenceGrant } from "../core/model/gateway/objects.ts";
import { gatewayGroup } from "../core/model/gateway/objects.ts";
import { type RouteSettings, routeSettingsVersion } from "../core/model/gateway/route-settings.ts";
import type { GRPCRoute, TCPRoute, TLSRoute, UDPRoute } from "../core/model/gateway/routes.ts";
import type {
  ConfigMap,
  EndpointSlice,
  Ingress,
  IngressClass,
  KubernetesObject,
  Namespace,
  Node,
  Secret,
  Service,
} from "../core/model/objects.ts";
import { type JsonObject, type Resource, resource } from "../kube/index.ts";
import { messageOf } from "../kube/protobuf/messages.ts";

const core = { apiVersion: "v1", namespaced: true } as const;
const networking = "networking.k8s.io/v1";

export const services = resource<Service>({
  ...core,
  kind: "Service",
  plural: "services",
  binary: messageOf("Service"),
});
export const secrets = resource<Secret>({ ...core, kind: "Secret", plural: "secrets", binary: messageOf("Secret") });
export const configMaps = resource<ConfigMap>({
  ...core,
  kind: "ConfigMap",
  plural: "configmaps",
  binary: messageOf("ConfigMap"),
});
export const endpoints = resource<Endpoints>({ ...core, kind: "Endpoints", plural: "endpoints" });
export const namespaces = resource<Namespace>({
  ...core,
  kind: "Namespace",
  plural: "namespaces",
  namespaced: false,
  binary: messageOf("Namespace"),
});
export const nodes = resource<Node>({ ...core, kind: "Node", plural: "nodes", namespaced: false });
export const pods = resource<Pod>({ ...core, kind: "Pod", plural: "pods" });

export const ingresses = resource<Ingress>({
  apiVersion: networking,
  kind: "Ingress",
  plural: "ingresses",
  namespaced: true,
  binary: messageOf("Ingress"),
});
export const ingressClasses = resource<IngressClass>({
  apiVersion: networking,
  kind: "IngressClass",
  plural: "ingressclasses",
  namespaced: false,
  binary: messageOf("IngressClass"),
});
export const endpointSlices = resource<EndpointSlice>({
  apiVersion: "discovery.k8s.io/v1",
  kind: "EndpointSlice",
  plural: "endpointslices",
  namespaced: true,
  binary: messageOf("EndpointSlice"),
});

export const validatingWebhookConfigurations = resource<ValidatingWebhookConfiguration>({
  apiVersion: "admissionregistration.k8s.io/v1",
  kind: "ValidatingWebhookConfiguration",
  plural: "validatingwebhookconfigurations",
  namespaced: false,
});

const gatewayApi = { apiVersion: `${gatewayGroup}/v1`, namespaced: true } as const;

export const gatewayClasses = resource<GatewayClass>({
  ...gatewayApi,
  kind: "GatewayClass",
  plural: "gatewayclasses",
  namespaced: false,
});
export const gateways = resource<Gateway>({ ...gatewayApi, kind: "Gateway", plural: "gateways" });
export const httpRoutes = resource<HTTPRoute>({ ...gatewayApi, kind: "HTTPRoute", plural: "httproutes" });
export const referenceGrants = resource<ReferenceGrant>({
  ...gatewayApi,
  kind: "ReferenceGrant",
  plural: "referencegrants",
});
export const grpcRoutes = resource<GRPCRoute>({ ...gatewayApi, kind: "GRPCRoute", plural: "grpcroutes" });
export const tlsRoutes = resource<TLSRoute>({ ...gatewayApi, kind: "TLSRoute", plural: "tlsroutes" });
export const tcpRoutes = resource<TCPRoute>({ ...gatewayApi, kind: "TCPRoute", plural: "tcproutes" });
export const udpRoutes = resource<UDPRoute>({ ...gatewayApi, kind: "UDPRoute", plural: "udproutes" });
export const listenerSets = resource<ListenerSet>({ ...gatewayApi, kind: "ListenerSet", plural: "listenersets" });
export const backendTLSPolicies = resource<BackendTLSPolicy>({
  ...gatewayApi,
  kind: "BackendTLSPolicy",
  plural: "backendtlspolicies",
});
/** A kind of Sluice's own. */
export const routeSettings = resource<RouteSettings>({
  apiVersion: routeSettingsVersion,
  namespaced: true,
  kind: "RouteSettings",
  plural: "routesettings",
});

/** Definitions of kinds. Only their metadata is read, because their schemas are large. */
export const customResourceDefinitions = resource<KubernetesObject>({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  plural: "customresourcedefinitions",
  namespaced: false,
  accept: "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1",
});

export type ValidatingWebhookConfiguration = JsonObject<V1ValidatingWebhookConfiguration>;

/** The older form of EndpointSlices. */
export interface Endpoints extends KubernetesObject {
  readonly subsets?: readonly EndpointSubset[];
}

export interface EndpointSubset {
  readonly addresses?: readonly { readonly ip: string }[];
  readonly notReadyAddresses?: readonly { readonly ip: string }[];
  readonly ports?: NonNullable<EndpointSlice["ports"]>;
}

/** Whether the Pod accepts connections. */
export const isReady = ({ status }: Pod): boolean =>
  status?.phase === "Running" &&
  status.conditions?.some(({ type, status: is }) => type === "Ready" && is === "True") === true;

export type Pod = JsonObject<V1Pod>;

/** Returns, for sentences, `secrets in namespace shop`, or `ingressclasses`. */
export function resourceText(
  { plural, namespaced }: Resource<KubernetesObject>,
  namespace: string | undefined,
): string {
  if (!namespaced) return plural;
  return `${plural} in ${namespace === undefined ? "all namespaces" : `namespace ${namespace}`}`;
}
