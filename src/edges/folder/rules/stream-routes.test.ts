/** Routes for streams that their definitions would refuse get sentences of Sluice. */
import { expect, test } from "vitest";
import { type Check, fieldOf } from "../../../core/schema/findings.ts";
import { checkOfKind } from "./kinds.ts";

const [tlsRoute, portRoute] = [checkOfKind("TLSRoute"), checkOfKind("TCPRoute")];
const [earlyTlsRoute, earlyPortRoute] = ["TLSRoute", "UDPRoute"].map((kind) => checkOfKind(kind, "v1alpha2")) as [
  Check,
  Check,
];

const metadata = { name: "x", namespace: "ns" };
const mistakes = (check: Check, spec: unknown) =>
  check({ metadata, spec }).map(({ path, why }) => `${fieldOf(path)}: ${why}`);

const backend = { name: "db", port: 5432, weight: 3 };
const rules = [{ name: "all", backendRefs: [backend] }];
const parentRefs = [{ name: "gw", sectionName: "db" }];
const good = { parentRefs, rules };

const ofBoth: readonly [object, string][] = [
  [{ parentRefs }, "spec: rules is missing"],
  [{ ...good, rules: [] }, "spec.rules: the list is empty"],
  [{ ...good, rules: [...rules, ...rules] }, "spec.rules: the list has 2 items, and 1 are the most"],
  [{ ...good, rules: [{}] }, "spec.rules[0]: backendRefs is missing"],
  [{ ...good, rules: [{ backendRefs: [] }] }, "spec.rules[0].backendRefs: the list is empty"],
  [
    { ...good, rules: [{ backendRefs: [{ name: "db" }] }] },
    "spec.rules[0].backendRefs[0]: port is missing, which a Service needs",
  ],
  [
    { ...good, rules: [{ backendRefs: [{ ...backend, port: "5432" }] }] },
    'spec.rules[0].backendRefs[0].port: "5432" is text because of its quotes; write the number without them',
  ],
  [
    { ...good, rules: [{ backendRefs: [{ ...backend, weight: -1 }] }] },
    "spec.rules[0].backendRefs[0].weight: -1 is not a whole number from 0 to 1000000",
  ],
  [
    { ...good, rules: [{ backendRefs: [{ ...backend, filters: [] }] }] },
    "spec.rules[0].backendRefs[0].filters: there is no such field",
  ],
  [
    { ...good, parentRefs: [{ name: "gw" }, { name: "gw" }] },
    "spec.parentRefs[1]: another one names the same parent, without another sectionName or port",
  ],
  [{ ...good, parentRef: [] }, "spec.parentRef: there is no such field (did you mean parentRefs?)"],
];

test.each(ofBoth)("each kind of stream route with the rules %j gets a sentence", (spec, sentence) => {
  expect(mistakes(portRoute, spec)).toEqual([sentence]);
  expect(mistakes(tlsRoute, { hostnames: ["a.example"], ...spec })).toEqual([sentence]);
});

test("only TLSRoutes have hostnames, and they need them", () => {
  expect(mistakes(tlsRoute, good)).toEqual(["spec: hostnames is missing"]);
  expect(mistakes(tlsRoute, { ...good, hostnames: [] })).toEqual(["spec.hostnames: the list is empty"]);
  expect(mistakes(tlsRoute, { ...good, hostnames: ["192.0.2.1"] })).toEqual([
    'spec.hostnames[0]: "192.0.2.1" is an address, and only a DNS name may stand here',
  ]);
  expect(mistakes(portRoute, { ...good, hostnames: ["a.example"] })).toEqual([
    "spec.hostnames: there is no such field",
  ]);
});

test("in v1alpha2 they may have several rules, and TLSRoutes no hostnames", () => {
  const several = { parentRefs, rules: [...rules, { backendRefs: [backend] }] };
  expect(mistakes(earlyTlsRoute, several)).toEqual([]);
  expect(mistakes(earlyPortRoute, several)).toEqual([]);
  expect(mistakes(earlyPortRoute, { parentRefs })).toEqual(["spec: rules is missing"]);
});

test("valid stream routes get no sentence", () => {
  expect(mistakes(portRoute, good)).toEqual([]);
  expect(mistakes(tlsRoute, { ...good, hostnames: ["a.example", "*.b.example"] })).toEqual([]);
});
