import { expect, test } from "vitest";
import type { Ingress } from "../../../core/model/objects.ts";
import { repaired } from "./repaired.ts";

const path = (path: string, pathType?: string) => ({
  path,
  pathType,
  backend: { service: { name: "web", port: { number: 80 } } },
});
const metadata = { name: "web", annotations: { good: "1", number: 2 } };
const ingress = (spec: object) =>
  repaired({ apiVersion: "extensions/v1beta1", kind: "Ingres", metadata, spec }, "Ingress") as Ingress | undefined;

test("a repaired object lacks only what the API server would refuse, and has the kind that it was read for", () => {
  const rules = [
    { host: "not a host", http: { paths: [path("/a", "Prefix")] } },
    { host: "b.example", http: { paths: [path("/b", "prefix"), path("/c", "Exact"), path("d", "Exact")] } },
  ];
  expect(ingress({ ingressClassName: "nginx", rules })).toMatchObject({
    apiVersion: "networking.k8s.io/v1",
    kind: "Ingress",
    metadata: { name: "web", namespace: "default", annotations: { good: "1" } },
    spec: {
      ingressClassName: "nginx",
      rules: [
        { http: { paths: [path("/a", "Prefix")] } },
        { host: "b.example", http: { paths: [path("/c", "Exact")] } },
      ],
    },
  });
});

test("an Ingress of which no rule remains keeps its class and its annotations", () => {
  const left = ingress({ ingressClassName: "nginx", rules: "none" });
  expect([left?.spec?.ingressClassName, left?.spec?.rules, left?.metadata.annotations]).toEqual([
    "nginx",
    undefined,
    { good: "1" },
  ]);
});

test("nothing remains of an object whose name is wrong, or whose metadata is not a mapping", () => {
  expect(repaired({ metadata: { name: "Not A Name" } }, "ConfigMap")).toBeUndefined();
  expect(repaired({ metadata: "web" }, "Ingress")).toBeUndefined();
});

test("an Ingress without a spec, such as a patch, keeps its annotations", () => {
  for (const spec of [{}, { spec: undefined }, { spec: null }]) {
    const left = repaired({ apiVersion: "networking.k8s.io/v1", kind: "Ingress", metadata, ...spec }, "Ingress");
    expect(left?.metadata.annotations).toEqual({ good: "1" });
  }
});
