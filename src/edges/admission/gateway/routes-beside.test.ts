/** The webhook warns about an Ingress that has a host or path in common with routes. */
import { expect, test } from "vitest";
import { gateway, gatewayClass, listener, namespace, route } from "../../../../test/support/gateways.ts";
import { ingress, ingressClass } from "../../../../test/support/ingress.ts";
import { put } from "../../../../test/support/sketch.ts";
import { sentence } from "../../../core/model/problem.ts";
import { emptySnapshot } from "../../../core/model/snapshot.ts";
import { defaultOptions, type TranslateOptions } from "../../../core/table/options.ts";
import { routesBeside } from "./warnings.ts";

const options: TranslateOptions = { ...defaultOptions, gateway: { ...defaultOptions.gateway, shared: "ns/gw" } };
const world = put(
  emptySnapshot,
  ingressClass,
  gatewayClass(),
  namespace("ns"),
  gateway({ listeners: [listener({ allowedRoutes: { namespaces: { from: "All" } } })] }),
  gateway({ name: "apart", listeners: [listener({ port: 8000 })] }),
  route({ name: "moved", hostnames: ["a.test"], rules: [{ backendRefs: [{ name: "web", port: 80 }] }] }),
  route({ name: "far", namespace: "other", hostnames: ["d.test"] }),
  route({ name: "apart", parent: { name: "apart" }, hostnames: ["b.test"] }),
);
const submitted = (host: string) => ingress({ name: "web", host, paths: [["/", "web"]] });
const sentences = (host: string, more = options) => routesBeside(submitted(host), world, more).map(sentence);

test("an Ingress gets a warning for each of its paths that a route of the shared Gateway has", () => {
  expect(sentences("a.test")).toEqual([
    "spec.rules[0].http.paths[0].path: HTTPRoute ns/moved of the same namespace has path / of host a.test, too; its requests go there",
  ]);
  expect(sentences("A.test"), "a host in capital letters").toHaveLength(1);
  expect(sentences("d.test")).toEqual([
    "spec.rules[0].http.paths[0].path: the older HTTPRoute other/far has path / of host d.test, too; its requests go there",
  ]);
});

test("an Ingress gets no warning about routes on other ports and other hosts", () => {
  expect(sentences("b.test")).toEqual([]);
  expect(sentences("c.test")).toEqual([]);
  expect(sentences("a.test", defaultOptions), "no Gateway is shared").toEqual([]);
});
