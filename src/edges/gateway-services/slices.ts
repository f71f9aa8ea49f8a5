/**
 * The EndpointSlices of a Gateway's Service: the ready Pods of this controller, one slice for each
 * family of addresses.
 */
import { isIPv6 } from "node:net";
import { isDeepStrictEqual } from "node:util";
import { managedByLabel, managedBySluice } from "../../core/model/gateway/services.ts";
import type { EndpointSlice, Service, SliceEndpoint } from "../../core/model/objects.ts";
import { endpointSlices, isReady, type Pod } from "../resources.ts";

/** The most endpoints that the API allows. */
const mostEndpoints = 1_000;

/** A Pod of the controller that accepts connections. */
export interface PodEndpoint {
  readonly addresses: readonly string[];
  /** If it is false, the Pod is about to end and counts only while no other Pod is ready. */
  readonly isStaying: boolean;
  readonly nodeName: string | undefined;
  readonly zone: string | undefined;
  readonly pod: { readonly namespace: string; readonly name: string; readonly uid?: string };
}

/** Returns the ready Pods, sorted by name. `leaving` is the name of a Pod that is about to end. */
export function podEndpoints(
  pods: Iterable<Pod>,
  zoneOf: (node: string) => string | undefined,
  leaving: string | undefined,
): readonly PodEndpoint[] {
  return [...pods]
    .filter(isReady)
    .sort((one, other) => (one.metadata.name < other.metadata.name ? -1 : 1))
    .map(({ metadata, spec, status }) => {
      const { namespace = "", name, uid, deletionTimestamp } = metadata;
      const { podIP, podIPs = podIP === undefined ? [] : [{ ip: podIP }] } = status ?? {};
      return {
        addresses: podIPs.map(({ ip }) => ip),
        isStaying: deletionTimestamp === undefined && name !== leaving,
        nodeName: spec?.nodeName,
        zone: spec?.nodeName === undefined ? undefined : zoneOf(spec.nodeName),
        pod: { namespace, name, ...(uid === undefined ? {} : { uid }) },
      };
    })
    .filter(({ addresses }) => addresses.length > 0);
}

/** Returns one slice for each family of addresses that the Service has. */
export function slicesFor(service: Service, endpoints: readonly PodEndpoint[]): readonly EndpointSlice[] {
  const { name, namespace = "default", uid = "" } = service.metadata;
  const owner = { apiVersion: service.apiVersion, kind: "Service", name, uid, controller: true };
  const ports = (service.spec?.ports ?? []).flatMap(({ name: called, protocol = "TCP", targetPort }) =>
    typeof targetPort === "number"
      ? [{ ...(called === undefined ? {} : { name: called }), port: targetPort, protocol }]
      : [],
  );
  const labels = {
    "kubernetes.io/service-name": name,
    "endpointslice.kubernetes.io/managed-by": managedBySluice,
    [managedByLabel]: managedBySluice,
  };
  return familiesOf(service).flatMap((addressType) => {
    const all = endpoints.flatMap((one) => endpointOf(one, addressType) ?? []);
    const parts = Array.from({ length: Math.max(1, Math.ceil(all.length / mostEndpoints)) }, (_, at) =>
      all.slice(at * mostEndpoints, (at + 1) * mostEndpoints),
    );
    return parts.map((some, at): EndpointSlice => {
      return {
        apiVersion: endpointSlices.apiVersion,
        kind: "EndpointSlice",
        metadata: { namespace, name: sliceName(name, addressType, at), labels, ownerReferences: [owner] },
        addressType,
        endpoints: some,
        ports,
      };
    });
  });
}

const families = ["IPv4", "IPv6"] as const;

/** Returns all names that slices of a Service with this name may have. */
export function sliceNames(service: string): readonly string[] {
  return families.flatMap((family) => [0, 1, 2, 3, 4].map((at) => sliceName(service, family, at)));
}

function sliceName(service: string, family: string, at: number): string {
  return `${service}-${family.toLowerCase()}${at === 0 ? "" : `-${at + 1}`}`;
}

function familiesOf({ spec }: Service): readonly (typeof families)[number][] {
  return families.filter((family) => spec?.ipFamilies === undefined || spec.ipFamilies.includes(family));
}

function endpointOf(
  { addresses, isStaying, nodeName, zone, pod }: PodEndpoint,
  family: string,
): SliceEndpoint | undefined {
  const address = addresses.find((one) => isIPv6(one) === (family === "IPv6"));
  if (address === undefined) return undefined;
  return {
    addresses: [address],
    conditions: { ready: isStaying, serving: true, terminating: !isStaying },
    ...(nodeName === undefined ? {} : { nodeName }),
    ...(zone === undefined ? {} : { zone }),
    targetRef: { kind: "Pod", ...pod },
  };
}

/**
 * Returns the body of a merge patch; undefined if the slice is correct. The slice of a deleted
 * Service is passed on to the Service that replaces it, before the API server deletes it.
 */
export function sliceChanges(present: EndpointSlice, wanted: EndpointSlice): object | undefined {
  const { labels, ownerReferences } = wanted.metadata;
  const isSame =
    present.metadata.ownerReferences?.[0]?.uid === ownerReferences?.[0]?.uid &&
    isDeepStrictEqual(present.endpoints ?? [], wanted.endpoints) &&
    isDeepStrictEqual(sorted(present.ports), sorted(wanted.ports)) &&
    Object.entries(labels ?? {}).every(([key, value]) => present.metadata.labels?.[key] === value);
  if (isSame) return undefined;
  const { resourceVersion } = present.metadata;
  return { metadata: { labels, ownerReferences, resourceVersion }, endpoints: wanted.endpoints, ports: wanted.ports };
}

function sorted(ports: EndpointSlice["ports"] = []): readonly unknown[] {
  return ports.map(({ name, port, protocol = "TCP" }) => `${name} ${port} ${protocol}`).sort();
}
