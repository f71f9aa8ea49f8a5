/**
 * Reads Endpoints, the older form of EndpointSlices, in which many people still write the addresses
 * of machines outside of the cluster. A cluster mirrors them as EndpointSlices, and so does this.
 */
import { isDeepStrictEqual } from "node:util";
import { isMapping } from "../../core/model/mapping.ts";
import type { EndpointSlice } from "../../core/model/objects.ts";
import type { Endpoints } from "../resources.ts";
import { anything, type Check, listOf, record, text, wrong } from "./check.ts";
import { addressRules, slicePorts } from "./endpoint-slice.ts";
import { metadata } from "./metadata.ts";
import { dnsSubdomain } from "./names.ts";

const family = (ip: string): "IPv4" | "IPv6" => (ip.includes(":") ? "IPv6" : "IPv4");

const addresses = listOf(
  record(
    {
      ip: text((ip) => addressRules[family(ip)](ip)),
      hostname: text(),
      nodeName: text(),
      targetRef: anything,
    },
    ["ip"],
  ),
);

/** Accepts what one EndpointSlice can hold: one list of ports, and addresses of one family. */
const oneSlice: Check = (value) => {
  if (!isMapping(value)) return [];
  const { subsets = [] } = value as unknown as Endpoints;
  const other = subsets.findIndex(({ ports }) => !isDeepStrictEqual(ports ?? [], subsets[0]?.ports ?? []));
  if (other > 0)
    return wrong(
      ["subsets", other, "ports"],
      "its ports are not those of the first subset; write an EndpointSlice for each",
    );
  const families = new Set(subsets.flatMap(addressesOf).map(({ ip }) => family(ip)));
  return families.size < 2
    ? []
    : wrong(["subsets"], "it has addresses of IPv4 and IPv6; write an EndpointSlice for each");
};

export const endpoints = record(
  {
    apiVersion: anything,
    kind: anything,
    metadata: metadata(dnsSubdomain),
    subsets: listOf(record({ addresses, notReadyAddresses: addresses, ports: slicePorts })),
  },
  ["metadata"],
  oneSlice,
);

type Subset = NonNullable<Endpoints["subsets"]>[number];

const addressesOf = ({ addresses: ready = [], notReadyAddresses = [] }: Subset): readonly { readonly ip: string }[] => [
  ...ready,
  ...notReadyAddresses,
];

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
