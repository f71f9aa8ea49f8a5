/**
 * The values of ingress-nginx's chart in a values file: the whole file, or, in that of an umbrella
 * chart, what stands under the name or the alias of the dependency.
 */

import { isMapping, type Mapping } from "../../../core/model/mapping.ts";
import type { Path } from "../../../edges/folder/check.ts";
import { areOurs, type Vendor, vendorOfValues } from "../vendors.ts";
import { areOfAnotherChart } from "./other-charts.ts";

export type ChartPart =
  | { readonly kind: "values"; readonly content: Mapping; readonly path: Path; readonly others: readonly string[] }
  | { readonly kind: "vendor"; readonly vendor: Vendor; readonly path: Path }
  | { readonly kind: "none" };

const usualNames = ["ingress-nginx", "rke2-ingress-nginx", "ingress-nginx-controller", "nginx", "ingress"];

/** Top keys that most charts have, so that a file with these alone may belong to any of them. */
const usualTops: ReadonlySet<string> = new Set([
  "enabled",
  "nameOverride",
  "fullnameOverride",
  "namespaceOverride",
  "commonLabels",
  "imagePullSecrets",
  "revisionHistoryLimit",
  "rbac",
  "serviceAccount",
  "podSecurityPolicy",
]);

/**
 * Finds the chart's values in a file. `tops` are the top keys of the chart's own values; `aliases`
 * are names that an umbrella chart gives to the chart. If nothing says that the values are
 * ingress-nginx's, such as the name of the file, they count by their content.
 */
export function chartPart(
  values: Mapping,
  tops: ReadonlySet<string>,
  { aliases = [], isNamed = true }: { readonly aliases?: readonly string[]; readonly isNamed?: boolean } = {},
): ChartPart {
  const vendor = vendorOfValues(values);
  if (vendor !== undefined && aliases.length === 0) return { kind: "vendor", vendor, path: [] };
  const own = Object.keys(values).filter((key) => tops.has(key) && key !== "global");
  const inner = [...aliases, ...usualNames, ...Object.keys(values)].find((key) => {
    const value = values[key];
    if (aliases.includes(key)) return isMapping(value);
    if (tops.has(key) || !isMapping(value) || !isMapping(value.controller) || own.includes("controller")) return false;
    return usualNames.includes(key) || !areOfAnotherChart(value);
  });
  if (inner !== undefined) {
    const content = values[inner] as Mapping;
    const ofInner = vendorOfValues(content);
    if (ofInner !== undefined) return { kind: "vendor", vendor: ofInner, path: [inner] };
    if (inner === "nginx-ingress" && !aliases.includes(inner) && !areOurs(content))
      return { kind: "vendor", vendor: "unclear", path: [inner] };
    const others = Object.keys(values).filter((key) => key !== inner && key !== "global" && isMapping(values[key]));
    return { kind: "values", content, path: [inner], others };
  }
  if (!isNamed && areOfAnotherChart(values)) return { kind: "none" };
  return own.some((key) => !usualTops.has(key))
    ? { kind: "values", content: values, path: [], others: [] }
    : { kind: "none" };
}
