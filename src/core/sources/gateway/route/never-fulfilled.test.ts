/** Conditions that no request fulfils are reported, and those that a ConfigMap allows are not. */
import { expect, test } from "vitest";
import { gateway, gatewayClass, namespace, pooled, route, serviceIn } from "../../../../../test/support/gateways.ts";
import { fake, put } from "../../../../../test/support/sketch.ts";
import { sentence } from "../../../model/problem.ts";
import { emptySnapshot } from "../../../model/snapshot.ts";
import { translate } from "../../../table/translator.ts";
import { emptyInputs } from "../../../table/turn.ts";

const configMap = "sluice/settings";
const backendRefs = [{ name: "web", port: 80 }];
const matches = [
  { method: "TRACE" },
  { headers: [{ name: "X_Version", value: "1" }] },
  { headers: [{ name: "x.version", value: "1" }] },
  { headers: [{ name: "X-Version", value: "1" }], method: "GET" },
];

function told(data: Readonly<Record<string, string>>): { sentences: readonly string[]; condition: string } {
  const metadata = { namespace: "sluice", name: "settings" };
  const settings = { apiVersion: "v1", kind: "ConfigMap", metadata, data };
  const objects = [gatewayClass(), namespace("ns"), serviceIn("ns", "web"), settings, gateway({})];
  const snapshot = put(emptySnapshot, ...objects, route({ rules: [{ matches, backendRefs }] }));
  const { problems, statuses } = translate({ ...emptyInputs, snapshot }, { ...pooled, configMap }, fake);
  const status = statuses.get("HTTPRoute ns/route");
  const [condition] = status?.kind === "route" ? status.parents[0]!.conditions : [];
  return {
    sentences: [...problems.values()].flat().map(sentence),
    condition: `${condition?.status} ${condition?.message}`,
  };
}

const method =
  "spec.rules[0].matches[0].method: nginx answers every request with the method TRACE by itself, with 405; no request is sent by this match";
const header = (at: number, name: string, key: string) =>
  `spec.rules[0].matches[${at}].headers: nginx drops the header "${name}" unless the ConfigMap has ${key}; no request is sent by this match`;
const underscore = header(1, "x_version", 'enable-underscores-in-headers: "true"');
const dot = header(2, "x.version", 'ignore-invalid-headers: "false"');

test("conditions that nginx never fulfils are named, and the route stays accepted", () => {
  const { sentences, condition } = told({});
  expect(sentences).toEqual([method, underscore, dot]);
  expect(condition).toBe(`True the route is attached to listener http of Gateway ns/gw. ${sentences.join(". ")}`);
});

test("a header that the ConfigMap lets through is not named", () => {
  expect(told({ "enable-underscores-in-headers": "true" }).sentences).toEqual([method, dot]);
  expect(told({ "ignore-invalid-headers": "false" }).sentences).toEqual([method]);
});
