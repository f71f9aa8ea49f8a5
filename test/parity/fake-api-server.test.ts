import { expect, test } from "vitest";
import type { KubernetesObject } from "../../src/core/model/objects.ts";
import { FakeApiServer } from "./fake-api-server.ts";

const started = () => new FakeApiServer(new Date("2026-01-01T00:00:00Z"));
const object = (kind: string, more: object = {}): KubernetesObject => ({
  apiVersion: "v1",
  kind,
  metadata: { name: "a", namespace: "n" },
  ...more,
});

test("a new object gets uid, version and creation time, and keeps uid and time when it is replaced", () => {
  const api = started();
  const first = api.apply(object("ConfigMap")).metadata;
  api.passTime(1.1);
  const second = api.apply(object("ConfigMap")).metadata;
  expect(first).toMatchObject({ creationTimestamp: "2026-01-01T00:00:00Z", generation: 1 });
  expect(second).toMatchObject({ uid: first.uid, creationTimestamp: first.creationTimestamp, generation: 2 });
  expect(second.resourceVersion).not.toBe(first.resourceVersion);
});

test("creation times are whole seconds, and an object that is created again is new", () => {
  const api = started();
  const first = api.apply(object("ConfigMap")).metadata;
  api.remove(object("ConfigMap"));
  api.passTime(1.9);
  const second = api.apply(object("ConfigMap")).metadata;
  expect(second.creationTimestamp).toBe("2026-01-01T00:00:01Z");
  expect(second.uid).not.toBe(first.uid);
});

test("stringData becomes data", () => {
  const secret = started().apply(object("Secret", { stringData: { a: "x" } }));
  expect(secret).toMatchObject({ type: "Opaque", data: { a: "eA==" } });
  expect(secret).not.toHaveProperty("stringData");
});

test("a Service gets its own ClusterIP and keeps it", () => {
  const api = started();
  const spec = { ports: [{ port: 80 }] };
  const first = api.apply(object("Service", { spec }));
  expect(first).toMatchObject({ spec: { type: "ClusterIP", ports: [{ port: 80, targetPort: 80, protocol: "TCP" }] } });
  expect(api.apply(object("Service", { spec }))).toHaveProperty(
    "spec",
    (first as KubernetesObject & { spec: unknown }).spec,
  );
  const other = api.apply({ ...object("Service", { spec }), metadata: { name: "b", namespace: "n" } });
  expect(other).not.toHaveProperty("spec", (first as KubernetesObject & { spec: unknown }).spec);
});

test("a headless Service stays headless, an ExternalName has no address", () => {
  const api = started();
  expect(api.apply(object("Service", { spec: { clusterIP: "None" } }))).toHaveProperty("spec.clusterIP", "None");
  const external = { type: "ExternalName", externalName: "a.example" };
  expect(
    api.apply({ ...object("Service", { spec: external }), metadata: { name: "e", namespace: "n" } }),
  ).not.toHaveProperty("spec.clusterIP");
});

test("a new Ingress without a class gets the default class", () => {
  const api = started();
  const ingress = object("Ingress", { spec: {} });
  const named = (name: string, annotations = {}) => ({ ...ingress, metadata: { name, namespace: "n", annotations } });
  api.apply(named("early"));
  const mark = { "ingressclass.kubernetes.io/is-default-class": "true" };
  api.apply({ ...object("IngressClass"), metadata: { name: "marked", annotations: mark } });
  expect(api.apply(named("late"))).toHaveProperty("spec.ingressClassName", "marked");
  expect(api.apply(named("early"))).not.toHaveProperty("spec.ingressClassName");
  expect(api.apply(named("old", { "kubernetes.io/ingress.class": "x" }))).not.toHaveProperty("spec.ingressClassName");
});
