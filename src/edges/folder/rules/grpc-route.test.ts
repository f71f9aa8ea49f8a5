/** GRPCRoutes that their definition would refuse get sentences of Sluice. */
import { expect, test } from "vitest";
import { fieldOf } from "../../../core/schema/findings.ts";
import { checkOfKind } from "./kinds.ts";

const metadata = { name: "x", namespace: "ns" };
const mistakes = (rules: unknown) =>
  checkOfKind("GRPCRoute")({ metadata, spec: { parentRefs: [{ name: "gw" }], rules } }).map(
    ({ path, why }) => `${fieldOf(path)}: ${why}`,
  );

const call = { service: "shop.v1.Items", method: "Get" };
const backendRefs = [{ name: "items", port: 80 }];
const mirror = { type: "RequestMirror", requestMirror: { backendRef: { name: "copy", port: 80 } } };
const header = { type: "RequestHeaderModifier", requestHeaderModifier: { set: [{ name: "a", value: "b" }] } };
const method = "spec.rules[0].matches[0].method";
const many = Array.from({ length: 43 }, (_, at) => ({ method: { method: `M${at}` } }));

const refused: readonly [object[], string][] = [
  [[{ matches: [{ method: {} }] }], `${method}: service and method are both missing`],
  [
    [{ matches: [{ method: { ...call, service: "shop/v1" } }] }],
    `${method}.service: "shop/v1" is not the name of a service such as shop.v1.Items`,
  ],
  [[{ matches: [{ method: { ...call, method: "1Get" } }] }], `${method}.method: "1Get" is not the name of a method`],
  [
    [{ matches: [{ method: { ...call, type: "Prefix" } }] }],
    `${method}.type: "Prefix" is not one of Exact, RegularExpression`,
  ],
  [
    [{ filters: [{ type: "URLRewrite" }] }],
    'spec.rules[0].filters[0].type: "URLRewrite" is not one of ResponseHeaderModifier, RequestHeaderModifier, RequestMirror, ExtensionRef',
  ],
  [[{ filters: [header, header] }], "spec.rules[0].filters[1]: RequestHeaderModifier is given twice"],
  [[{ backendRefs: [{ name: "items" }] }], "spec.rules[0].backendRefs[0]: port is missing, which a Service needs"],
  [[{ name: "a" }, { name: "a" }], "spec.rules[1]: the name a is given twice"],
  [
    [{ matches: many }, { matches: many }, { matches: many }],
    "spec.rules: they have 129 matches together, and 128 are the most",
  ],
];

test.each(refused)("a GRPCRoute with the rules %j gets a sentence", (rules, sentence) =>
  expect(mistakes(rules)).toEqual([sentence]),
);

test("a valid GRPCRoute gets no sentence", () => {
  const pattern = { type: "RegularExpression", service: "shop/.*" };
  const matches = [{ method: call }, { method: pattern, headers: [{ name: "version", value: "2" }] }, { method: call }];
  expect(mistakes([{ name: "items", matches, filters: [header, mirror, mirror], backendRefs }])).toEqual([]);
  expect(mistakes([])).toEqual([]);
  expect(mistakes([{}, {}])).toEqual([]);
});
