import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { defaultOptions } from "../../table/options.ts";
import { capabilityNames } from "../../tokens/capabilities.ts";
import { featureRows, features, supportedFeatures } from "./features.ts";

const page = readFileSync(join(import.meta.dirname, "../../../../docs/gateway-api.md"), "utf8");

test("docs/gateway-api.md has a row for each feature, with whether it is served", () => {
  const [, section = ""] = page.split("\n## Features\n");
  const [own = ""] = section.split("\n## ");
  expect(own.split("\n").filter((line) => line.startsWith("| `"))).toEqual(featureRows());
});

test("each feature is declared once, in the order of names", () => {
  const names = features.map(({ name }) => name);
  expect(names).toEqual([...new Set(names)].sort());
});

test("a feature is supported where it is served, nginx can do its work, and the flags allow it", () => {
  const everything = new Set(Object.keys(capabilityNames) as (keyof typeof capabilityNames)[]);
  const { gateway } = defaultOptions;
  const services = { ports: [20_000], prefixes: ["key"], record: "sluice/ports" };
  expect(supportedFeatures({ lacks: new Set(), gateway: { ...gateway, services } }, undefined)).toEqual(
    features.filter(({ served }) => served !== "no").map(({ name }) => name),
  );
  expect(supportedFeatures({ lacks: everything, gateway }, undefined)).toEqual(
    features.filter(({ served }) => served === "yes").map(({ name }) => name),
  );
});

test("a name is listed with definitions of the versions whose suite knows it", () => {
  const named = (minor: number) => supportedFeatures({ lacks: new Set(), gateway: defaultOptions.gateway }, minor);
  expect(named(6)).toEqual(expect.arrayContaining(["HTTPRouteRetry", "HTTPRouteRetryConnectionError"]));
  expect(named(6)).not.toContain("HTTPRouteRetryCodes");
  expect(named(7)).toEqual(expect.arrayContaining(["HTTPRouteRetryCodes", "HTTPRouteRetryConnectionError"]));
  expect(named(7)).not.toContain("HTTPRouteRetry");
});
