/**
 * The chart to which a values file belongs, by the Chart.yaml beside it, and the charts on which
 * that one depends. Charts of Helm 2 list these in a requirements.yaml.
 */
import { basename, dirname } from "node:path";
import { isMapping, type Mapping } from "../../../core/model/mapping.ts";
import type { Files } from "../../tools/folder.ts";
import { at } from "../value-at.ts";
import { chartOf, type Vendor } from "../vendors.ts";

/** Whether it is a file of a chart that has no values. */
export const isChart = (value: Mapping, file: string): boolean =>
  (/^Chart\.ya?ml$/.test(basename(file)) && typeof value.name === "string") ||
  (/^requirements\.ya?ml$/.test(basename(file)) && Array.isArray(value.dependencies));

/** Whether a chart that neither is ingress-nginx's nor depends on it has these values. */
export function isOfAnotherChart(file: string, files: Files): boolean {
  const name = beside(file, files, /^Chart\.ya?ml$/)?.name;
  return typeof name === "string" && chartOf(name) === undefined && dependenciesOf(file, files).length === 0;
}

/** Whether a file of a chart's folder `ci` has values for its tests, which no release uses. */
export const isTestOfChart = (file: string, files: Files): boolean =>
  basename(dirname(file)) === "ci" && hasChartBeside(dirname(file), files);

/** Whether Flux's HelmReleases in the folder of a values file name other charts alone. */
export function isOfAnotherRelease(file: string, files: Files): boolean {
  const charts = [...files].flatMap(([name, { others }]) =>
    dirname(name) === dirname(file) ? others.flatMap(({ value }) => chartOfRelease(value)) : [],
  );
  return charts.length > 0 && charts.every((chart) => chartOf(chart) === undefined);
}

function chartOfRelease({ kind, spec }: Mapping): readonly string[] {
  if (kind !== "HelmRelease") return [];
  const name = at(spec, "chart", "spec", "chart") ?? at(spec, "chartRef", "name");
  return typeof name === "string" ? [name] : [];
}

export const hasChartBeside = (file: string, files: Files): boolean =>
  beside(file, files, /^Chart\.ya?ml$/) !== undefined;

interface Dependency {
  /** The key under which its values stand. */
  readonly alias: string;
  readonly chart: "ours" | Vendor;
}

/** Returns the charts with a name like ingress-nginx on which the chart beside a file depends. */
export function dependenciesOf(file: string, files: Files): readonly Dependency[] {
  const listed =
    beside(file, files, /^Chart\.ya?ml$/)?.dependencies ?? beside(file, files, /^requirements\.ya?ml$/)?.dependencies;
  return (Array.isArray(listed) ? listed : []).flatMap((one): Dependency[] => {
    const chart = isMapping(one) ? chartOf(String(one.name), String(one.repository ?? "")) : undefined;
    return chart === undefined ? [] : [{ alias: String(one.alias ?? one.name), chart }];
  });
}

/** Returns the content of a file beside a values file. */
function beside(file: string, files: Files, names: RegExp): Mapping | undefined {
  const [, found] = [...files].find(([name]) => dirname(name) === dirname(file) && names.test(basename(name))) ?? [];
  return found?.strays?.[0]?.value;
}
