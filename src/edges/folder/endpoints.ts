/**
 * Reads Endpoints, the older form of EndpointSlices, in which many people still write the addresses
 * of machines outside of the cluster. A cluster mirrors them as EndpointSlices, and so does this.
 */
import type { EndpointSlice } from "../../core/model/objects.ts";
import type { Endpoints } from "../resources.ts";

export const family = (ip: string): "IPv4" | "IPv6" => (ip.includes(":") ? "IPv6" : "IPv4");

export type Subset = NonNullable<Endpoints["subsets"]>[number];

export const addressesOf = ({
  addresses: ready = [],
  notReadyAddresses = [],
}: Subset): readonly { readonly ip: string }[] => [...ready, ...notReadyAddresses];

/**
 * Returns the EndpointSlice. Its name is that of the Service with `#`, which no name in the API can
 * hold, so it is not the name of a slice that somebody wrote.
 */
export function mirrored({ metadata: own, subsets = [] }: Endpoints): EndpointSlice {
  const { name, labels, ...rest } = own;
  const [first] = subsets.flatMap(addressesOf);
  return {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: { ...rest, name: `${name}#`, labels: { ...labels, "kubernetes.io/service-name": name } },
    addressType: family(first?.ip ?? ""),
    ports: subsets[0]?.ports ?? [],
    endpoints: subsets.flatMap(({ addresses: ready = [], notReadyAddresses = [] }) => [
      ...ready.map(({ ip }) => ({ addresses: [ip], conditions: { ready: true } })),
      ...notReadyAddresses.map(({ ip }) => ({ addresses: [ip], conditions: { ready: false } })),
    ]),
  };
}
