/**
 * Keeps only those fields of an object in memory that Sluice reads: the fields of
 * `model/objects.ts`. Half of an object is bookkeeping of other programs (`kubectl apply` keeps a
 * second copy of everything in an annotation, even of a Secret's data). Beware: a field that is
 * dropped here is missing everywhere, without any message.
 */
import { isDeepStrictEqual } from "node:util";
import { type Gateway, type GatewayAddress, gatewayGroup } from "../../core/model/gateway/objects.ts";
import { isMarked } from "../../core/model/gateway/services.ts";
import type {
  EndpointSlice,
  Ingress,
  KubernetesObject,
  LoadBalancerAddress,
  Service,
} from "../../core/model/objects.ts";
import { SharedParts } from "./shared-parts.ts";

/** Parts that are equal in many EndpointSlices. */
const parts = new SharedParts();

const copyOfKubectl = "kubectl.kubernetes.io/last-applied-configuration";

/** Ingresses whose metadata had only fields that are kept. */
const whole = new WeakSet<KubernetesObject>();

/** Returns the object with the fields that Sluice reads of its kind. */
export function kept(object: KubernetesObject): KubernetesObject {
  const { apiVersion, kind } = object;
  const metadata = metadataOf(object);
  const lean = { apiVersion, kind, metadata, ...contentOf(object) };
  if (kind === "Ingress" && hasAllOf(object.metadata, metadata)) whole.add(lean);
  return lean;
}

/** Whether the Ingress is complete, so that writing it back removes no field. */
export function isWhole(ingress: KubernetesObject): boolean {
  return whole.has(ingress);
}

/**
 * Whether `kept` has all parts of the metadata. Unknown fields count as dropped, and all
 * annotations but one are kept.
 */
function hasAllOf(metadata: KubernetesObject["metadata"], kept: KubernetesObject["metadata"]): boolean {
  return Object.keys(metadata).every((field) => field in kept) && metadata.annotations?.[copyOfKubectl] === undefined;
}

/** Returns the object without its content. Its name is enough to request the content later. */
export function nameOnly({ apiVersion, kind, metadata }: KubernetesObject): KubernetesObject {
  const { name, namespace, uid, resourceVersion } = metadata;
  return { apiVersion, kind, metadata: defined({ name, namespace, uid, resourceVersion }) };
}

/**
 * Whether two versions of an object are equal for translate/. If so, nothing is translated again. A
 * status is written by this controller and never read, except for the addresses of a Gateway, which
 * are kept.
 */
export function sameContent(one: KubernetesObject, other: KubernetesObject): boolean {
  return sameButStatus(one, other) && isDeepStrictEqual(addressesIn(one), addressesIn(other));
}

/**
 * Whether this controller writes the object: Services and EndpointSlices of Gateways. All fields of
 * these are compared.
 */
function isWritten(object: KubernetesObject): boolean {
  return (object.kind === "Service" || object.kind === "EndpointSlice") && isMarked(object);
}

export function sameButStatus(one: KubernetesObject, other: KubernetesObject): boolean {
  return isDeepStrictEqual(withoutVersion(one), withoutVersion(other));
}

/**
 * Returns the addresses in the status of a Gateway, or of its Service; none for all other kinds.
 */
export function addressesIn(object: KubernetesObject): readonly (GatewayAddress | LoadBalancerAddress)[] {
  if (isWritten(object)) return (object as Service).status?.loadBalancer?.ingress ?? [];
  return object.kind === "Gateway" ? ((object as Gateway).status?.addresses ?? []) : [];
}

/**
 * Returns the object without its version. Conditions of the Gateway API name a generation, so the
 * generation counts there.
 */
function withoutVersion(object: KubernetesObject): unknown {
  const { resourceVersion, generation, ...metadata } = object.metadata;
  const counts = object.apiVersion?.startsWith(`${gatewayGroup}/`);
  return { ...object, metadata: counts ? { ...metadata, generation } : metadata, status: undefined };
}

function metadataOf(object: KubernetesObject): KubernetesObject["metadata"] {
  const { kind, metadata } = object;
  const { name, namespace, uid, resourceVersion, generation, creationTimestamp, deletionTimestamp, labels } = metadata;
  const annotations = Object.entries(metadata.annotations ?? {}).filter(([key]) => key !== copyOfKubectl);
  return defined({
    name,
    namespace,
    uid,
    resourceVersion,
    generation,
    creationTimestamp,
    deletionTimestamp,
    labels,
    annotations: annotations.length === 0 ? undefined : Object.fromEntries(annotations),
    // Every EndpointSlice has an owner, which does not matter here.
    ownerReferences: kind === "Ingress" || isWritten(object) ? metadata.ownerReferences : undefined,
  });
}

function contentOf(object: KubernetesObject): object {
  if (isWritten(object)) return wholeOf(object);
  switch (object.kind) {
    case "Ingress": {
      const { spec, status } = object as Ingress;
      return defined({ spec, status });
    }
    case "Service": {
      const { type, clusterIP, clusterIPs, externalName, externalIPs, ports, trafficDistribution } =
        (object as Service).spec ?? {};
      return { spec: defined({ type, clusterIP, clusterIPs, externalName, externalIPs, ports, trafficDistribution }) };
    }
    case "EndpointSlice": {
      const { addressType, endpoints, ports } = object as EndpointSlice;
      const read = (endpoints ?? []).map(({ addresses, conditions, hints }) =>
        defined({ addresses, conditions: conditions && parts.of(conditions), hints: hints && parts.of(hints) }),
      );
      return defined({ addressType, endpoints: read, ports: ports && parts.of(ports) });
    }
    case "Namespace":
      return {};
    default:
      return wholeOf(object);
  }
}

function wholeOf({ apiVersion, kind, metadata, ...content }: KubernetesObject): object {
  return content;
}

/**
 * Removes absent fields, which would take memory and make equal objects differ. The API writes some
 * empty lists as null.
 */
function defined<T extends object>(fields: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== null),
  ) as never;
}
