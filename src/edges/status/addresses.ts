/**
 * The addresses in the status of Ingresses: pure functions of their sources (process contract C 23
 * to 26, RS-28).
 */
import { isIP } from "node:net";
import type { LoadBalancerAddress, Node, Service } from "../../core/model/objects.ts";

export type Addresses = readonly LoadBalancerAddress[];

/** Reads an IP address or a host name, from `--publish-status-address`. */
export function addressOf(text: string): LoadBalancerAddress {
  return isIP(text) === 0 ? { hostname: text } : { ip: text };
}

export function addressesOfService({ spec = {}, status }: Service): Addresses {
  const { type = "ClusterIP", externalName = "", externalIPs = [], clusterIP = "" } = spec;
  const external = externalIPs.map(addressOf);
  const own = clusterIP === "" || clusterIP === "None" ? [] : [addressOf(clusterIP)];
  switch (type) {
    case "ExternalName":
      return sorted(externalName === "" ? [] : [addressOf(externalName)]);
    case "NodePort":
      return sorted(external.length > 0 ? external : own);
    case "LoadBalancer": {
      const given = status?.loadBalancer?.ingress ?? [];
      return sorted([...given.map(withoutPorts), ...external]);
    }
    default:
      return sorted(own);
  }
}

/**
 * Returns one address for each Node: its first external one, or its first internal one if it has
 * none or `internal` is set.
 */
export function addressesOfNodes(nodes: readonly Node[], internal: boolean): Addresses {
  return sorted(
    nodes.flatMap(({ status }) => {
      const first = (type: string) =>
        status?.addresses?.find((one) => one.type === type && one.address !== "")?.address;
      const address = (internal ? undefined : first("ExternalIP")) ?? first("InternalIP");
      return address === undefined ? [] : [addressOf(address)];
    }),
  );
}

/** Sorts by host name, then by IP, without duplicates, so that equal results are equal lists. */
export function sorted(addresses: Addresses): Addresses {
  const byText = new Map(addresses.map((address) => [`${address.hostname ?? ""} ${address.ip ?? ""}`, address]));
  return [...byText.keys()].sort().map((text) => byText.get(text) as LoadBalancerAddress);
}

export function sameAddresses(one: Addresses, other: Addresses): boolean {
  const texts = (addresses: Addresses) =>
    JSON.stringify(addresses.map(({ hostname, ip }) => [hostname ?? "", ip ?? ""]));
  return texts(sorted(one)) === texts(sorted(other));
}

const withoutPorts = ({ ip, hostname }: LoadBalancerAddress): LoadBalancerAddress => ({
  ...(ip ? { ip } : {}),
  ...(hostname ? { hostname } : {}),
});
