/** What `sluice compat` says of the releases that other tools install. */
import { expect, test } from "vitest";
import { compatOf } from "./support/compat-of.ts";

test("several values files with one difference are named by their places", async () => {
  const { text } = await compatOf({
    "a.yaml": "controller: { hostNetwork: true, kind: DaemonSet }\n",
    "b.yaml": "controller:\n  hostNetwork: true\n",
  });
  expect(text).toContain("value controller.hostNetwork, 2 places: a.yaml:1:15 b.yaml:2:3 ");
});

test("a name in place of the chart's is the same in both charts", async () => {
  const { text } = await compatOf({ "values.yaml": "nameOverride: edge\ncontroller: { kind: DaemonSet }\n" });
  expect(text).toContain("2 chart values 2 the same");
});
