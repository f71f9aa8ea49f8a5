import { expect, test } from "vitest";
import type { Ingress, IngressClass } from "../../../model/objects.ts";
import { Table } from "../../../model/table.ts";
import { sentence } from "../../../problem.ts";
import { severityOf } from "../../../severity.ts";
import { missingClasses } from "./missing-class.ts";

const named = (ingressClassName?: string): Ingress => ({
  apiVersion: "networking.k8s.io/v1",
  kind: "Ingress",
  metadata: { namespace: "shop", name: "web" },
  spec: { ...(ingressClassName !== undefined && { ingressClassName }) },
});
const nginx: IngressClass = { apiVersion: "networking.k8s.io/v1", kind: "IngressClass", metadata: { name: "nginx" } };

const found = (ingress: Ingress, allAreHere: boolean) =>
  missingClasses(
    {
      ingresses: Table.from([["shop/web", ingress]]),
      ingressClasses: Table.from([["nginx", nginx]]),
    },
    allAreHere,
  );
const sentences = (ingress: Ingress, allAreHere: boolean) => found(ingress, allAreHere).map(sentence);

test("a mistyped class is reported with the nearest class that exists", () => {
  expect(sentences(named("ngnix"), true)).toEqual([
    'spec.ingressClassName: there is no IngressClass "ngnix" (did you mean nginx?); no controller serves it',
  ]);
});

test("where classes may be in the cluster, a mistyped one is a doubt, and a longer name is another class", () => {
  expect(sentences(named("ngnix"), false)).toEqual([
    'spec.ingressClassName: no file here has the IngressClass "ngnix" (did you mean nginx?)',
  ]);
  expect(found(named("ngnix"), false).map(severityOf)).toEqual(["warning"]);
  expect(found(named("ngnix"), true).map(severityOf)).toEqual(["error"]);
  expect(sentences(named("external-nginx"), false)).toEqual([]);
  expect(sentences(named("external-nginx"), true)).toEqual([
    'spec.ingressClassName: there is no IngressClass "external-nginx" (did you mean nginx?); no controller serves it',
  ]);
});

test("any other unknown class is reported only where all classes are known", () => {
  expect(sentences(named("traefik"), false)).toEqual([]);
  expect(sentences(named("traefik"), true)).toEqual([
    'spec.ingressClassName: there is no IngressClass "traefik"; no controller serves it',
  ]);
});

test("a class that exists causes no finding, nor does an Ingress without one", () => {
  expect(sentences(named("nginx"), true)).toEqual([]);
  expect(sentences(named(), true)).toEqual([]);
});
