import { expect, test } from "vitest";
import type { KubernetesObject } from "../model/objects.ts";
import { kept } from "./kept.ts";

test("an EndpointSlice without entries comes with null lists", () => {
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
