import { describe, expect, test } from "vitest";
import type { Node, Service } from "../../core/model/objects.ts";
import { addressesOfNodes, addressesOfService, addressOf, sameAddresses, sorted } from "./addresses.ts";

const service = (spec: NonNullable<Service["spec"]>, status?: NonNullable<Service["status"]>): Service => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { namespace: "ingress", name: "controller" },
  spec,
  ...(status ? { status } : {}),
});

describe("the addresses of a Service", () => {
  const given = {
    ingress: [{ hostname: "b.example" }, { ip: "192.0.2.9" }, { ip: "192.0.2.8", ports: [{ port: 80 }] }],
  };
  test.each([
    [{ type: "ExternalName", externalName: "edge.example" }, [{ hostname: "edge.example" }]],
    [{ type: "ClusterIP", clusterIP: "10.96.0.9", externalIPs: ["192.0.2.1"] }, [{ ip: "10.96.0.9" }]],
    [{ clusterIP: "None" }, []],
    [{ type: "NodePort", clusterIP: "10.96.0.9" }, [{ ip: "10.96.0.9" }]],
    [{ type: "NodePort", clusterIP: "10.96.0.9", externalIPs: ["192.0.2.1"] }, [{ ip: "192.0.2.1" }]],
    [
      { type: "LoadBalancer", clusterIP: "10.96.0.9" },
      [{ ip: "192.0.2.8" }, { ip: "192.0.2.9" }, { hostname: "b.example" }],
    ],
    [
      { type: "LoadBalancer", externalIPs: ["192.0.2.1", "192.0.2.9"] },
      [{ ip: "192.0.2.1" }, { ip: "192.0.2.8" }, { ip: "192.0.2.9" }, { hostname: "b.example" }],
    ],
  ])("are found for %j", (spec, expected) => {
    expect(addressesOfService(service(spec, { loadBalancer: given }))).toEqual(expected);
  });
});

describe("the addresses of Nodes", () => {
  const node = (...addresses: readonly [type: string, address: string][]): Node => ({
    apiVersion: "v1",
    kind: "Node",
    metadata: { name: "node" },
    status: { addresses: addresses.map(([type, address]) => ({ type, address })) },
  });
  const both = node(["InternalIP", "10.0.0.1"], ["ExternalIP", "192.0.2.1"], ["ExternalIP", "192.0.2.2"]);
  const inside = node(["Hostname", "node"], ["InternalIP", "10.0.0.2"]);

  test("are the external ones, or the internal ones where there are no others", () => {
    expect(addressesOfNodes([both, inside, inside, node()], false)).toEqual([{ ip: "10.0.0.2" }, { ip: "192.0.2.1" }]);
  });
  test("are the internal ones where a flag requests them", () => {
    expect(addressesOfNodes([both, inside], true)).toEqual([{ ip: "10.0.0.1" }, { ip: "10.0.0.2" }]);
  });
});

test("an address is an IP or a host name", () => {
  expect(["192.0.2.1", "2001:db8::1", "edge.example"].map(addressOf)).toEqual([
    { ip: "192.0.2.1" },
    { ip: "2001:db8::1" },
    { hostname: "edge.example" },
  ]);
});

test("lists are compared as sets", () => {
  const [a, b] = [{ ip: "192.0.2.1" }, { hostname: "192.0.2.1" }];
  expect(sameAddresses([a, b], [b, a, a])).toBe(true);
  expect(sameAddresses([a], [b])).toBe(false);
  expect(sorted([b, a])).toEqual([a, b]);
});
