/**
 * Reads Endpoints, the older form of EndpointSlices, if the server has no discovery.k8s.io. The
 * rest of the controller only knows slices, so each subset becomes one slice for each family of
 * addresses.
 */
import type { EndpointSlice, SliceEndpoint } from "../../core/model/objects.ts";
import type { Endpoints } from "../resources.ts";

/**
 * Returns one slice for each subset and family of addresses. Its name is that of the Service, `#`
 * and a number. No name in the API can hold a `#`.
 */
export function slicesOf({ metadata, subsets = [] }: Endpoints): readonly EndpointSlice[] {
  const { name, namespace = "default", uid = "" } = metadata;
  return subsets
    .flatMap((subset) => (["IPv4", "IPv6"] as const).map((family) => [subset, family] as const))
    .map(([{ addresses = [], notReadyAddresses = [], ports = [] }, addressType], number) => ({
      apiVersion: "discovery.k8s.io/v1",
      kind: "EndpointSlice",
      metadata: { name: `${name}#${number}`, namespace, uid, labels: { "kubernetes.io/service-name": name } },
      addressType,
      ports,
      endpoints: [
        ...sliceEndpoints(addresses, addressType, true),
        ...sliceEndpoints(notReadyAddresses, addressType, false),
      ],
    }));
}

function sliceEndpoints(
  addresses: readonly { readonly ip: string }[],
  family: "IPv4" | "IPv6",
  ready: boolean,
): SliceEndpoint[] {
  return addresses
    .filter(({ ip }) => ip.includes(":") === (family === "IPv6"))
    .map(({ ip }) => ({ addresses: [ip], conditions: { ready } }));
}
