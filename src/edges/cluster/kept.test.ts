import { expect, test } from "vitest";
import type { EndpointSlice, KubernetesObject } from "../../core/model/objects.ts";
import { isWhole, kept } from "./kept.ts";

test("an EndpointSlice without entries has null lists", () => {
  const slice: unknown = {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: { namespace: "shop", name: "web-1" },
    addressType: "IPv4",
    endpoints: null,
    ports: null,
  };
  const { endpoints, ports, addressType } = kept(slice as KubernetesObject) as unknown as Record<string, unknown>;
  expect({ endpoints, ports, addressType }).toEqual({ endpoints: [], ports: undefined, addressType: "IPv4" });
});

test("equal ports and conditions of EndpointSlices share one frozen value", () => {
  const slice = (name: string): unknown => ({
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: { namespace: "shop", name },
    addressType: "IPv4",
    endpoints: [{ addresses: [name], conditions: { ready: true } }],
    ports: [{ name: "http", port: 8080 }],
  });
  const [one, other] = ["a", "b"].map((name) => kept(slice(name) as KubernetesObject) as EndpointSlice);
  expect(one?.ports).toBe(other?.ports);
  expect(Object.isFrozen(one?.ports?.[0])).toBe(true);
  expect(one?.endpoints?.[0]?.conditions).toBe(other?.endpoints?.[0]?.conditions);
  expect(one?.endpoints?.[0]?.addresses).toEqual(["a"]);
});

test("owner references of an Ingress are kept, and those of an EndpointSlice are dropped", () => {
  const ownerReferences = [{ apiVersion: "v1", kind: "Service", name: "web", uid: "u1", controller: true }];
  const of = (kind: string) => kept({ apiVersion: "v1", kind, metadata: { name: "web", ownerReferences } });
  expect(of("Ingress").metadata.ownerReferences).toEqual(ownerReferences);
  expect(of("EndpointSlice").metadata).toEqual({ name: "web" });
});

test("an Ingress counts as whole where all of its metadata is kept, and unknown fields count as lost", () => {
  const metadata = {
    namespace: "ns",
    name: "web",
    uid: "1",
    resourceVersion: "7",
    labels: { a: "b" },
    annotations: { c: "d" },
  };
  const wholeWith = (more: object) =>
    isWhole(kept({ apiVersion: "v1", kind: "Ingress", metadata: { ...metadata, ...more } }));
  expect(wholeWith({})).toBe(true);
  expect(wholeWith({ finalizers: ["example.com/hold"] })).toBe(false);
  expect(wholeWith({ annotations: { "kubectl.kubernetes.io/last-applied-configuration": "{}" } })).toBe(false);
});
