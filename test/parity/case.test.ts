import { expect, test } from "vitest";
import { caseNames, loadCase, loadExpectation, readCase } from "./case.ts";

test("patterns select cases, and commas separate them", () => {
  expect(caseNames("routing/hsts,access/satisfy-al*")).toEqual(["access/satisfy-all", "routing/hsts"]);
});

test("every case has as many expected answers as requests", () => {
  const uneven = caseNames().filter((name) => {
    const wanted = loadCase(name);
    return loadExpectation(wanted, false, "dynamic").requests.length !== wanted.requests.length;
  });
  expect(uneven).toEqual([]);
});

const text = `
title: t
covers: [RS-1.1]
configMap: {hsts: off, hsts-max-age: 5}
objects:
- {kind: Ingress, metadata: {name: b}, spec: {ingressClassName: other}}
- {kind: Ingress, metadata: {name: a, annotations: {kubernetes.io/ingress.class: nginx}}, spec: {}}
- {kind: Ingress, metadata: {name: c}, spec: {}}
- {kind: IngressClass, metadata: {name: k}}
- {kind: Service, metadata: {name: s, namespace: $NS-two}}
requests:
- {host: $NS.example, apply: [{kind: Ingress, metadata: {name: c}, spec: {}}]}
`;

test("fields that a case leaves out get the values of the recording", () => {
  const { namespace, configMap, objects, requests, pause, flags } = readCase("some/case", text);
  expect({ configMap, pause, flags }).toEqual({ configMap: { hsts: "off", "hsts-max-age": "5" }, pause: 0, flags: [] });
  const networking = "networking.k8s.io/v1";
  expect(objects).toMatchObject([
    { apiVersion: networking, kind: "IngressClass", metadata: { name: "k" } },
    { apiVersion: "v1", kind: "Service", metadata: { name: "s", namespace: `${namespace}-two` } },
    { apiVersion: networking, metadata: { name: "b", namespace }, spec: { ingressClassName: "other" } },
    { metadata: { name: "a", namespace }, spec: {} },
    { metadata: { name: "c", namespace }, spec: { ingressClassName: "nginx" } },
  ]);
  expect(objects[0]?.metadata).not.toHaveProperty("namespace");
  expect(objects[3]).toHaveProperty("spec", {});
  expect(requests).toMatchObject([
    { host: `${namespace}.example`, apply: [{ apiVersion: networking, metadata: { namespace } }] },
  ]);
  expect(requests[0]?.apply?.[0]).toHaveProperty("spec", {});
});

test("noClass leaves Ingresses without a class", () => {
  const { objects } = readCase("some/case", `${text}\nnoClass: true\n`);
  expect(objects.at(-1)).toHaveProperty("spec", {});
});
