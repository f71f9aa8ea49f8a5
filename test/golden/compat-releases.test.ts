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

test("a release without values is not said to have some, also beside something unjudged", async () => {
  const { code, text } = await compatOf({
    "release.yaml": `apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: { name: ingress-nginx }
spec: { chart: { spec: { chart: ingress-nginx } } }
`,
    "overlay/kustomization.yaml": "resources: [../release.yaml]\nnamePrefix: edge-\n",
  });
  expect([code, text]).toEqual([3, expect.stringContaining("its release of ingress-nginx sets no values")]);
});
