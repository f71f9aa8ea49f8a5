import { expect, test } from "vitest";
import type { Ingress, IngressClass } from "../../core/model/objects.ts";
import { sentence } from "../../core/model/problem.ts";
import { severityOf } from "../../core/model/problem-kinds.ts";
import { Table } from "../../core/model/table.ts";
import { type ClassesHere, MissingClasses, missingClasses } from "./missing-class.ts";

const named = (ingressClassName?: string): Ingress => ({
  apiVersion: "networking.k8s.io/v1",
  kind: "Ingress",
  metadata: { namespace: "shop", name: "web" },
  spec: { ...(ingressClassName !== undefined && { ingressClassName }) },
});
const nginx: IngressClass = { apiVersion: "networking.k8s.io/v1", kind: "IngressClass", metadata: { name: "nginx" } };

const found = (ingress: Ingress, here: ClassesHere) =>
  missingClasses(
    {
      ingresses: Table.from([["shop/web", ingress]]),
      ingressClasses: Table.from([["nginx", nginx]]),
    },
    here,
  );
const sentences = (ingress: Ingress, here: ClassesHere) => found(ingress, here).map(sentence);

test("a mistyped class is reported with the nearest class that exists", () => {
  expect(sentences(named("ngnix"), "all")).toEqual([
    'spec.ingressClassName: there is no IngressClass "ngnix" (did you mean nginx?); no controller serves it',
  ]);
});

test("where classes may be in the cluster, a mistyped one is a doubt, and a longer name is another class", () => {
  expect(sentences(named("ngnix"), "some")).toEqual([
    'spec.ingressClassName: no file here has the IngressClass "ngnix" (did you mean nginx?)',
  ]);
  expect(found(named("ngnix"), "some").map(severityOf)).toEqual(["warning"]);
  expect(found(named("ngnix"), "all").map(severityOf)).toEqual(["error"]);
  expect(sentences(named("external-nginx"), "some")).toEqual([]);
  expect(sentences(named("external-nginx"), "all")).toEqual([
    'spec.ingressClassName: there is no IngressClass "external-nginx" (did you mean nginx?); no controller serves it',
  ]);
});

test("any other unknown class is reported only where all classes are known", () => {
  expect(sentences(named("traefik"), "some")).toEqual([]);
  expect(sentences(named("traefik"), "all")).toEqual([
    'spec.ingressClassName: there is no IngressClass "traefik"; no controller serves it',
  ]);
});

test("a class that exists causes no finding, nor does an Ingress without one", () => {
  expect(sentences(named("nginx"), "all")).toEqual([]);
  expect(sentences(named(), "all")).toEqual([]);
});

test("from one Snapshot to the next only changed Ingresses are read, and a new class takes their findings away", () => {
  const read: string[] = [];
  const noted = (name: string, ingressClassName: string): [string, Ingress] => {
    const { spec, ...rest } = named(ingressClassName);
    const ingress = {
      ...rest,
      metadata: { namespace: "shop", name },
      get spec() {
        read.push(name);
        return spec;
      },
    } as Ingress;
    return [`shop/${name}`, ingress];
  };
  const missing = new MissingClasses("all");
  const objectsOf = (ingresses: Table<Ingress>, ingressClasses: Table<IngressClass>) =>
    missing.of({ ingresses, ingressClasses }).map(({ object }) => object.name);
  const classes = Table.from([["nginx", nginx]]);
  const first = Table.from([noted("web", "nginx"), noted("api", "traefik"), noted("old", "gone")]);
  expect(objectsOf(first, classes).sort()).toEqual(["api", "old"]);
  read.length = 0;
  const second = first.with([
    noted("web", "ngnix"),
    noted("api", "nginx"),
    ["shop/old", undefined],
    noted("new", "nginx"),
  ]);
  expect(objectsOf(second, classes)).toEqual(["web"]);
  expect([...new Set(read)].sort()).toEqual(["api", "new", "web"]);
  expect(objectsOf(second, classes.with([["ngnix", { ...nginx, metadata: { name: "ngnix" } }]]))).toEqual([]);
});
