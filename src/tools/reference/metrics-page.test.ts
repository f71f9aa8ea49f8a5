import { expect, test } from "vitest";
import { ingressNginxMetrics } from "../../../test/support/ingress-nginx-metrics.ts";
import { allMetrics, metricsPage } from "./metrics-page.ts";

test("the page has each metric of ingress-nginx with the type and the labels that it has there", () => {
  const ours = allMetrics().map(({ name, type, labels }) => ({ name, type, labels: labels.toSorted() }));
  const theirs = ingressNginxMetrics.map(({ name, type, labels }) => ({ name, type, labels: labels.toSorted() }));
  expect(theirs.filter((one) => !ours.some((other) => JSON.stringify(other) === JSON.stringify(one)))).toEqual([]);
});

test("each metric is on the page once, in a row that has a meaning", () => {
  const rows = [...metricsPage().matchAll(/^\| `(\w+)` \| (\w+) \|.*\| (\S.*\.) \|$/gm)].map(([, name]) => name!);
  const names = allMetrics().map(({ name }) => name);
  expect(rows.toSorted()).toEqual(names.toSorted());
  expect(new Set(names).size).toBe(names.length);
});
