/** The words of JSON Schema that the chart's schema uses, and some content of each type. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { misfits } from "./schema.ts";

const file = join(import.meta.dirname, "../../../../charts/sluice/values.schema.json");

function wordsIn(schema: object): string[] {
  const inner = (value: unknown) => (typeof value === "object" && value !== null ? wordsIn(value) : []);
  return Object.entries(schema).flatMap(([word, value]) => {
    const below =
      word === "anyOf"
        ? (value as object[]).flatMap(inner)
        : word === "properties"
          ? Object.values(value as object).flatMap(inner)
          : [];
    return [word, ...below, ...(word === "items" || word === "additionalProperties" ? inner(value) : [])];
  });
}

test("the check knows every word of the schema", () => {
  const known = [
    "type",
    "enum",
    "pattern",
    "minimum",
    "maximum",
    "maxProperties",
    "maxItems",
    "properties",
    "items",
    "anyOf",
  ];
  const words = new Set(wordsIn(JSON.parse(readFileSync(file, "utf8")) as object));
  expect([...words].filter((word) => ![...known, "additionalProperties"].includes(word)).sort()).toEqual([
    "$schema",
    "description",
  ]);
});

const good = [
  {},
  { controller: { kind: null, replicaCount: "2", config: { "proxy-body-size": 0, "use-gzip": true } } },
  { controller: { config: [], extraEnvs: {}, affinity: [], tolerations: {} }, imagePullSecrets: {} },
  { controller: { service: { nodePorts: { http: "30080" }, externalIPs: ["192.0.2.1"] } }, unknown: [] },
];
test.each(good)("%j fits the schema", (values) => expect(misfits(values)).toEqual([]));

test.each([
  [{ replicaCount: "two" }, 'the chart refuses "two": it does not match ^[0-9]*$'],
  [{ replicaCount: -1 }, 'the chart refuses "-1": it is not a whole number from 0 on'],
  [
    { configAnnotations: { a: {} } },
    "the chart refuses a mapping: a mapping is given where text or a number or true or false is required",
  ],
  [{ service: { nodePorts: { http: 70000 } } }, 'the chart refuses "70000": it is not a whole number from 0 to 65535'],
  [{ kind: "Daemonset" }, 'the chart refuses "Daemonset": it is not one of Deployment, DaemonSet'],
  [{ tolerations: "none" }, 'the chart refuses "none": text is given where a list is required'],
])("%j does not fit", (controller, why) => {
  expect(misfits({ controller })).toEqual([expect.objectContaining({ fate: "refused", why })]);
});
