import { expect, test } from "vitest";
import type { Service } from "../../core/model/objects.ts";
import type { Pod } from "../resources.ts";
import { podEndpoints, sliceChanges, sliceNames, slicesFor } from "./slices.ts";

const pod = (name: string, { ready = true, ips = ["10.0.0.1"], metadata = {} } = {}): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { namespace: "sluice", name, uid: name, ...metadata },
  spec: { nodeName: "node-1", containers: [] },
  status: {
    phase: "Running",
    podIPs: ips.map((ip) => ({ ip })),
    conditions: [{ type: "Ready", status: ready ? "True" : "False" }],
  },
});
const service = (spec: Service["spec"] = {}): Service => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { namespace: "ns", name: "gw-sluice", uid: "s" },
  spec: { ipFamilies: ["IPv4"], ports: [{ name: "port-80", port: 80, targetPort: 20_000 }], ...spec },
});
const slices = (pods: readonly Pod[], spec?: Service["spec"], leaving?: string) =>
  slicesFor(
    service(spec),
    podEndpoints(pods, (node) => `zone of ${node}`, leaving),
  );

test("a ready Pod is an endpoint on the target port with its Node and zone, and one that is not ready is left out", () => {
  const [slice, ...more] = slices([pod("b", { ready: false }), pod("a")]);
  expect(more).toEqual([]);
  expect(slice).toMatchObject({
    metadata: {
      name: "gw-sluice-ipv4",
      labels: {
        "kubernetes.io/service-name": "gw-sluice",
        "endpointslice.kubernetes.io/managed-by": "sluice-gateway-services",
      },
      ownerReferences: [{ kind: "Service", uid: "s" }],
    },
    addressType: "IPv4",
    ports: [{ name: "port-80", port: 20_000, protocol: "TCP" }],
    endpoints: [
      {
        addresses: ["10.0.0.1"],
        conditions: { ready: true, serving: true, terminating: false },
        nodeName: "node-1",
        zone: "zone of node-1",
        targetRef: { kind: "Pod", namespace: "sluice", name: "a", uid: "a" },
      },
    ],
  });
  expect(slice?.endpoints).toHaveLength(1);
});

test("each family of the Service has a slice of its own", () => {
  const both = pod("a", { ips: ["10.0.0.1", "fd00::1"] });
  expect(slices([both], { ipFamilies: ["IPv6"] }).map(({ endpoints }) => endpoints?.[0]?.addresses)).toEqual([
    ["fd00::1"],
  ]);
  const types = slices([both], { ipFamilies: ["IPv6", "IPv4"] }).map(({ addressType }) => addressType);
  expect(types).toEqual(["IPv4", "IPv6"]);
});

test("a terminating Pod is an endpoint only while no other Pod is ready", () => {
  const leaving = { conditions: { ready: false, serving: true, terminating: true } };
  const deleted = pod("a", { metadata: { deletionTimestamp: "2026-01-01T00:00:00Z" } });
  expect(slices([deleted])[0]?.endpoints).toMatchObject([leaving]);
  expect(slices([pod("a"), pod("b")], {}, "a")[0]?.endpoints).toMatchObject([leaving, { conditions: { ready: true } }]);
});

test("Pods beyond the size of a slice are in further slices, which are found by name", () => {
  const many = Array.from({ length: 1_001 }, (_, at) => pod(`p${at}`, { ips: [`10.0.${at >> 8}.${at & 255}`] }));
  const names = slices(many).map(({ metadata }) => metadata.name);
  expect(names).toEqual(["gw-sluice-ipv4", "gw-sluice-ipv4-2"]);
  expect(sliceNames("gw-sluice")).toEqual(expect.arrayContaining(names));
});

test("a slice that is as wanted stays unchanged, and another one is corrected", () => {
  const [wanted] = slices([pod("a")]);
  const [other] = slices([pod("a", { ready: false })]);
  expect(sliceChanges(wanted!, wanted!)).toBeUndefined();
  expect(sliceChanges(other!, wanted!)).toMatchObject({ endpoints: wanted!.endpoints, ports: wanted!.ports });
  const moved = { ...wanted!, ports: [{ name: "port-80", port: 10_254, protocol: "TCP" }] };
  expect(sliceChanges(moved, wanted!)).toMatchObject({ ports: wanted!.ports });
});
