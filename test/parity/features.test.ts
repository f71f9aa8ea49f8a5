import { expect, test } from "vitest";
import { caseNames, loadCase, readCase } from "./case.ts";
import { featureOf, features, featuresOf, notBuilt } from "./features.ts";

test("every word in `covers` belongs to a feature", () => {
  const words = caseNames().flatMap((name) => loadCase(name).covers);
  expect([...new Set(words)].filter((word) => featureOf(word) === undefined)).toEqual([]);
});

test("no word belongs to two features", () => {
  const words = Object.values(features).flat();
  expect(words.filter((word, i) => words.indexOf(word) !== i)).toEqual([]);
});

test("each entry of notBuilt is a feature", () => {
  expect(notBuilt.filter((name) => !(name in features))).toEqual([]);
});

test("a rule belongs to the feature of its section, unless a feature lists the rule itself", () => {
  expect([featureOf("RS-25.2"), featureOf("RS-25.1")]).toEqual(["headers added and removed", "aliases"]);
});

test("a case needs the features of the words that it covers and uses", () => {
  const text = `
title: t
covers: [RS-4.1]
configMap: {hsts: "false"}
flags: [--default-ssl-certificate=a/b]
objects: [{kind: Ingress, metadata: {name: a, annotations: {nginx.ingress.kubernetes.io/canary: "true", other/thing: x}}}]
requests: [{host: a, configMap: {use-gzip: "true"}}]
`;
  expect(featuresOf(readCase("some/case", text))).toEqual([
    ...["hosts and paths", "canary", "https redirect and HSTS", "compression", "certificates"],
  ]);
});
