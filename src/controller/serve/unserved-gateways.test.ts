/** Mistakes that cause no controller to serve a Gateway or a route. */
import { expect, test } from "vitest";
import { gateway, gatewayClass, route } from "../../../test/support/gateways.ts";
import { put } from "../../../test/support/sketch.ts";
import type { KubernetesObject } from "../../core/model/objects.ts";
import { sentence } from "../../core/model/problem.ts";
import { emptySnapshot } from "../../core/model/snapshot.ts";
import type { ClassesHere } from "./missing-class.ts";
import { unservedGateways } from "./unserved-gateways.ts";

const sentences = (here: ClassesHere, ...objects: KubernetesObject[]) =>
  unservedGateways(put(emptySnapshot, gatewayClass(), ...objects), here).map(sentence);

test("an unknown GatewayClass is reported where all classes are known, and a mistyped one always", () => {
  const of = (gatewayClassName: string) => gateway({ spec: { gatewayClassName } });
  const slip =
    'spec.gatewayClassName: there is no GatewayClass "sluce" (did you mean sluice?); no controller serves it';
  const doubt = 'spec.gatewayClassName: no file here has the GatewayClass "sluce" (did you mean sluice?)';
  expect([sentences("some", of("sluce")), sentences("all", of("sluce"))]).toEqual([[doubt], [slip]]);
  expect(sentences("some", of("istio"))).toEqual([]);
  expect(sentences("all", of("istio"))).toEqual([
    'spec.gatewayClassName: there is no GatewayClass "istio"; no controller serves it',
  ]);
  expect(sentences("all", of("sluice"))).toEqual([]);
});

test("a route whose parent is unknown is reported", () => {
  const at = (...parentRefs: object[]) => {
    const { spec, ...rest } = route({});
    return { ...rest, spec: { ...spec, parentRefs } } as KubernetesObject;
  };
  expect(sentences("all", at())).toEqual(["spec.parentRefs: it names no Gateway; no controller serves the route"]);
  expect(sentences("all", at({ name: "gw", kind: "Gatway" }))).toEqual([
    'spec.parentRefs[0].kind: "Gatway" is not one of Gateway, ListenerSet; the route is not attached there',
  ]);
  expect(sentences("all", at({ name: "gw" }, { name: "gw", group: "gateway.k8s.io" }))).toEqual([
    'spec.parentRefs[1].group: "gateway.k8s.io" has no Gateway; write gateway.networking.k8s.io; the route is not attached there',
  ]);
  expect(sentences("all", at({ name: "web", kind: "Service", group: "" })), "a mesh").toEqual([]);
});

test("a route for default Gateways is reported where no Gateway is one", () => {
  const { spec, ...rest } = route({});
  const using = { ...rest, spec: { rules: spec?.rules, useDefaultGateways: "All" } } as KubernetesObject;
  expect(sentences("all", using, gateway({}))).toEqual([
    "spec.useDefaultGateways: no Gateway has spec.defaultScope: All; the route is attached to the Gateways that spec.parentRefs names",
  ]);
  expect(sentences("some", using, gateway({}))).toEqual([]);
  expect(sentences("all", using, gateway({ spec: { defaultScope: "All" } }))).toEqual([]);
});
