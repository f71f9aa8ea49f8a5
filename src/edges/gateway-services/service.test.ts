import { expect, test } from "vitest";
import { gateway } from "../../../test/support/gateways.ts";
import type { DesiredService } from "../../core/model/gateway/services.ts";
import type { Service } from "../../core/model/objects.ts";
import { newService, serviceChanges } from "./service.ts";

const wanted: DesiredService = {
  name: "gw-sluice",
  ports: [{ name: "port-80", port: 80, protocol: "TCP" }],
  labels: { a: "1", "team.example.com/x": "2" },
  annotations: { "sluice.dev/copied-from-gateway": "team.example.com/x;team.example.com/y", "team.example.com/y": "3" },
  parameters: { type: "LoadBalancer" },
};
const targets = { "80/TCP": 20_000 };
const made = newService(gateway({}), wanted, targets);
/** Returns the Service as the API server stores it. */
const stored = (change: (spec: Record<string, unknown>) => void = () => {}): Service => {
  const spec: Record<string, unknown> = {
    ...made.spec,
    clusterIP: "10.96.0.7",
    sessionAffinity: "None",
    ports: [{ ...made.spec!.ports![0], nodePort: 30_123 }],
  };
  change(spec);
  return { ...made, metadata: { ...made.metadata, resourceVersion: "7" }, spec } as Service;
};
const changesOf = (present: Service, other: Partial<DesiredService> = {}, ports: Record<string, number> = targets) =>
  serviceChanges(present, { ...wanted, ...other }, ports) as { metadata: object; spec?: object } | undefined;

test("the Service belongs to the Gateway, selects nothing, and names the target ports", () => {
  expect(made.metadata).toMatchObject({
    namespace: "ns",
    name: "gw-sluice",
    ownerReferences: [{ kind: "Gateway", name: "gw", uid: "gw", controller: true }],
  });
  expect(made.spec).toEqual({
    type: "LoadBalancer",
    externalTrafficPolicy: "Cluster",
    internalTrafficPolicy: "Cluster",
    ports: [{ name: "port-80", port: 80, protocol: "TCP", targetPort: 20_000 }],
  });
});

test("a Service that is as wanted stays unchanged, with all fields that the API server has added", () => {
  expect(changesOf(stored())).toBeUndefined();
});

test.each<[string, Record<string, unknown>, object]>([
  ["a selector", { selector: { app: "mine" } }, { selector: null }],
  ["externalIPs", { externalIPs: ["192.0.2.1"] }, { externalIPs: null }],
  ["source ranges", { loadBalancerSourceRanges: ["192.0.2.0/24"] }, { loadBalancerSourceRanges: null }],
  ["another type", { type: "ClusterIP" }, { type: "LoadBalancer" }],
])("%s that a user sets is reverted, and nothing else is written", (_what, edit, spec) => {
  const present = stored((fields) => void Object.assign(fields, edit));
  expect(changesOf(present)).toEqual({ metadata: { resourceVersion: "7" }, spec });
});

test("an edited port gets its target back, and keeps its port of the Nodes", () => {
  const edited = stored((spec) => {
    spec.ports = [{ ...(spec.ports as object[])[0], targetPort: 10_254 }];
  });
  expect(changesOf(edited)?.spec).toEqual({
    ports: [expect.objectContaining({ targetPort: 20_000, nodePort: 30_123 })],
  });
});

test("keys that are no longer copied are removed, and keys of others stay", () => {
  const present = stored();
  const labels = { ...present.metadata.labels, "metallb.example/pool": "a" };
  const changes = changesOf(
    { ...present, metadata: { ...present.metadata, labels } },
    {
      labels: { a: "1" },
      annotations: { "sluice.dev/copied-from-gateway": ";team.example.com/y", "team.example.com/y": "3" },
    },
  );
  expect(changes?.metadata).toEqual({
    resourceVersion: "7",
    labels: { "team.example.com/x": null },
    annotations: { "sluice.dev/copied-from-gateway": ";team.example.com/y" },
  });
});

test("without readable parameters the fields that depend on them stay", () => {
  const present = stored((spec) => void Object.assign(spec, { type: "NodePort", externalTrafficPolicy: "Local" }));
  expect(changesOf(present, { parameters: undefined })).toBeUndefined();
});

test("a Service without ports of the Nodes has no externalTrafficPolicy", () => {
  const changes = changesOf(stored(), { parameters: { type: "ClusterIP", externalTrafficPolicy: "Local" } });
  expect(changes?.spec).toEqual({ type: "ClusterIP", externalTrafficPolicy: null });
});

test("a port that has no target port yet is left out of the Service", () => {
  const ports = [...wanted.ports, { name: "port-81", port: 81, protocol: "TCP" as const }];
  expect(newService(gateway({}), { ...wanted, ports }, targets).spec?.ports?.map(({ port }) => port)).toEqual([80]);
});
