/** A rule that gives no backend a weight is reported, and the route stays accepted. */
import { expect, test } from "vitest";
import { gateway, gatewayClass, namespace, pooled, route, serviceIn } from "../../../../../test/support/gateways.ts";
import { fake, put } from "../../../../../test/support/sketch.ts";
import { sentence } from "../../../model/problem.ts";
import { emptySnapshot } from "../../../model/snapshot.ts";
import { translate } from "../../../table/translator.ts";
import { emptyInputs } from "../../../table/turn.ts";

const weights = (...all: readonly (number | undefined)[]) =>
  all.map((weight) => ({ name: "web", port: 80, ...(weight === undefined ? {} : { weight }) }));

test.each([
  [weights(0), ["spec.rules[0].backendRefs: gives every backend the weight 0; its requests get 500"]],
  [weights(0, 0), ["spec.rules[0].backendRefs: gives every backend the weight 0; its requests get 500"]],
  [weights(0, undefined), []],
  [weights(0, 1), []],
])("a rule with the backends %j has the Problems %j", (backendRefs, expected) => {
  const objects = [gatewayClass(), namespace("ns"), serviceIn("ns", "web"), gateway({})];
  const snapshot = put(emptySnapshot, ...objects, route({ rules: [{ backendRefs }] }));
  const { problems, statuses } = translate({ ...emptyInputs, snapshot }, pooled, fake);
  const status = statuses.get("HTTPRoute ns/route");
  const [condition] = status?.kind === "route" ? status.parents[0]!.conditions : [];
  expect([...problems.values()].flat().map(sentence)).toEqual(expected);
  expect(condition).toMatchObject({ type: "Accepted", status: "True" });
});
