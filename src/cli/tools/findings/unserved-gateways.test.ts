/** Mistakes that cause no controller to serve a Gateway or a route. */
import { expect, test } from "vitest";
import { gateway, gatewayClass, route } from "../../../../test/support/gateways.ts";
import { put } from "../../../../test/support/sketch.ts";
import type { KubernetesObject } from "../../../model/objects.ts";
import { emptySnapshot } from "../../../model/snapshot.ts";
import { sentence } from "../../../problem.ts";
import { unservedGateways } from "./unserved-gateways.ts";

const sentences = (allAreHere: boolean, ...objects: KubernetesObject[]) =>
  unservedGateways(put(emptySnapshot, gatewayClass(), ...objects), allAreHere).map(sentence);

test("an unknown GatewayClass is reported where all classes are known, and a mistyped one always", () => {
  const of = (gatewayClassName: string) => gateway({ spec: { gatewayClassName } });
  const slip =
    'spec.gatewayClassName: there is no GatewayClass "sluce" (did you mean sluice?); no controller serves it';
  const doubt = 'spec.gatewayClassName: no file here has the GatewayClass "sluce" (did you mean sluice?)';
  expect([sentences(false, of("sluce")), sentences(true, of("sluce"))]).toEqual([[doubt], [slip]]);
  expect(sentences(false, of("istio"))).toEqual([]);
  expect(sentences(true, of("istio"))).toEqual([
    'spec.gatewayClassName: there is no GatewayClass "istio"; no controller serves it',
  ]);
  expect(sentences(true, of("sluice"))).toEqual([]);
});

test("a route whose parent is unknown is reported", () => {
  const at = (...parentRefs: object[]) => {
    const { spec, ...rest } = route({});
    return { ...rest, spec: { ...spec, parentRefs } } as KubernetesObject;
  };
  expect(sentences(true, at())).toEqual(["spec.parentRefs: it names no Gateway; no controller serves the route"]);
  expect(sentences(true, at({ name: "gw", kind: "Gatway" }))).toEqual([
    'spec.parentRefs[0].kind: "Gatway" is not one of Gateway, ListenerSet; the route is not attached there',
  ]);
  expect(sentences(true, at({ name: "gw" }, { name: "gw", group: "gateway.k8s.io" }))).toEqual([
    'spec.parentRefs[1].group: "gateway.k8s.io" has no Gateway; write gateway.networking.k8s.io; the route is not attached there',
  ]);
  expect(sentences(true, at({ name: "web", kind: "Service", group: "" })), "a mesh").toEqual([]);
});

test("a route for default Gateways is reported where no Gateway is one", () => {
  const { spec, ...rest } = route({});
  const using = { ...rest, spec: { rules: spec?.rules, useDefaultGateways: "All" } } as KubernetesObject;
  expect(sentences(true, using, gateway({}))).toEqual([
    "spec.useDefaultGateways: no Gateway has spec.defaultScope: All; the route is attached to the Gateways that spec.parentRefs names",
  ]);
  expect(sentences(false, using, gateway({}))).toEqual([]);
  expect(sentences(true, using, gateway({ spec: { defaultScope: "All" } }))).toEqual([]);
});
