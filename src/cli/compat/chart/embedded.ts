/**
 * Finds releases of ingress-nginx's chart that another tool installs, with their values: Flux
 * HelmRelease, Argo CD Application and ApplicationSet, the HelmChart and HelmChartConfig of k3s and
 * rke2, the fleet.yaml of Rancher's Fleet, and the helmCharts of a kustomization.
 */

import { isMapping, type Mapping } from "../../../core/model/mapping.ts";
import type { Path } from "../../../edges/folder/check.ts";
import type { OtherObject } from "../../../edges/folder/manifest.ts";
import type { Place } from "../../../edges/folder/place.ts";
import type { Files } from "../../tools/folder.ts";
import { at } from "../value-at.ts";
import { chartOf, type Vendor, vendors } from "../vendors.ts";
import { fleetReleases, isFleet } from "./fleet.ts";
import type { Part, Release } from "./release.ts";

export function releasesIn({ value }: OtherObject): readonly Release[] {
  const group = String(value.apiVersion).split("/")[0] ?? "";
  if (value.kind === "HelmRelease" && group.endsWith("fluxcd.io")) return fluxRelease(value);
  if (group === "argoproj.io" && value.kind === "Application") return argoReleases(value, ["spec"]);
  if (group === "argoproj.io" && value.kind === "ApplicationSet")
    return argoReleases(value, ["spec", "template", "spec"]);
  if (group === "helm.cattle.io") return k3sRelease(value);
  if (isFleet(value)) return fleetReleases(value);
  if (isKustomization(value)) return kustomizeReleases(list(value.helmCharts), ["helmCharts"]);
  if (value.kind === "HelmChartInflationGenerator") return kustomizeReleases([value], []);
  return [];
}

const kinds = ["Kustomization", "Component"];
const group = "kustomize.config.k8s.io/";

/** Whether it is a kustomization. A file of that name may leave out its kind, or its apiVersion. */
export function isKustomization({ kind, apiVersion, helmCharts, resources, patches }: Mapping): boolean {
  if (kind !== undefined) return kinds.includes(String(kind)) && String(apiVersion ?? group).startsWith(group);
  return [helmCharts, resources, patches].some(Array.isArray);
}

function fluxRelease(value: Mapping): Release[] {
  const spec = at(value, "spec");
  const inSpec = at(spec, "chart", "spec");
  const reference = at(spec, "chartRef");
  const { name, namespace } = nameOf(value);
  // A patch of a release repeats its name and not its chart.
  const isPatch = inSpec === undefined && reference === undefined;
  const named = text(at(inSpec, "chart")) || text(at(reference, "name"));
  const chart = chartOf(isPatch ? name : named, text(at(inSpec, "sourceRef", "name")));
  if (chart === undefined || (isPatch && chart !== "ours")) return [];
  const from = list(at(spec, "valuesFrom")).map((one, number): Part => {
    const path: Path = ["spec", "valuesFrom", number];
    const key = text(at(one, "valuesKey")) || "values.yaml";
    // Flux reads it in the namespace of the HelmRelease, even if targetNamespace is another one.
    if (at(one, "kind") === "ConfigMap" && at(one, "targetPath") === undefined)
      return { kind: "configmap", path, id: `${namespace}/${text(at(one, "name"))}`, key };
    return {
      kind: "elsewhere",
      path,
      why: `its values in ${text(at(one, "kind"))} ${text(at(one, "name"))} are not read`,
    };
  });
  const inline: Part[] = isMapping(at(spec, "values")) ? [{ kind: "inline", path: ["spec", "values"] }] : [];
  const target = text(at(spec, "targetNamespace")) || namespace;
  const release = text(at(spec, "releaseName")) || name;
  return [
    { of: `HelmRelease ${namespace}/${name}`, namespace: target, name: release, chart, parts: [...from, ...inline] },
  ];
}

function argoReleases(value: Mapping, below: readonly string[]): Release[] {
  const spec = at(value, ...below);
  const sources = list(at(spec, "sources"));
  const all =
    sources.length > 0
      ? sources.map((source, number) => [source, [...below, "sources", number] as Path] as const)
      : [[at(spec, "source"), [...below, "source"] as Path] as const];
  const { name, namespace } = nameOf(value);
  return all.flatMap(([source, path]): Release[] => {
    const folder = folderOf(source, [name, text(at(spec, "destination", "namespace")), text(at(source, "repoURL"))]);
    const chart = folder === undefined ? chartOf(text(at(source, "chart")), text(at(source, "repoURL"))) : "ours";
    if (chart === undefined) return [];
    const helm = at(source, "helm");
    const inHelm = (...keys: (string | number)[]): Path => [...path, "helm", ...keys];
    const files = list(folder === undefined && at(helm, "valueFiles")).flatMap((file, number): Part | Part[] => {
      // Other files are in the archive of the chart, and this one holds its defaults.
      if (file === "values.yaml") return [];
      const path = inHelm("valueFiles", number);
      const why = `its values file ${text(file)} is not read: name it with --values`;
      // `$values/ingress.yaml` is in the repository of another source, usually that of this folder.
      const [, name] = /^\$[^/]+\/(.+)$/.exec(text(file)) ?? [];
      return name === undefined ? { kind: "elsewhere", path, why } : { kind: "file", path, from: "top", name, why };
    });
    const written: Part[] = text(at(helm, "values")) === "" ? [] : [{ kind: "text", path: inHelm("values") }];
    // Argo CD does not read the text beside the mapping.
    const own: Part[] = isMapping(at(helm, "valuesObject"))
      ? [{ kind: "inline", path: inHelm("valuesObject") }]
      : written;
    const parameters = list(at(helm, "parameters")).map(
      (one, number): Part => ({
        kind: "parameter",
        path: inHelm("parameters", number),
        name: text(at(one, "name")),
        value: text(at(one, "value")),
      }),
    );
    return [
      {
        of: `${text(value.kind)} ${namespace}/${name}`,
        namespace: text(at(spec, "destination", "namespace")) || namespace,
        name: text(at(helm, "releaseName")) || name,
        chart,
        ...(folder !== undefined && { isFolder: true as const }),
        parts: [...inFolder(folder, [...path, "path"]), ...files, ...own, ...parameters],
      },
    ];
  });
}

/** Returns the folder of a source in git, if its path or one of the names says what it installs. */
function folderOf(source: unknown, names: readonly string[]): string | undefined {
  const folder = text(at(source, "path")).replace(/^[./]+|\/+$/g, "");
  const isOurs = [folder, ...names].some((one) => /(^|[/-])(ingress-nginx|nginx-ingress)([./-]|$)/.test(one));
  return isOurs && folder !== "" && text(at(source, "chart")) === "" ? folder : undefined;
}

function inFolder(name: string | undefined, path: Path): readonly Part[] {
  const why = `its source is the folder ${name} of a git repository, which is not here: give that folder to this command, too`;
  return name === undefined ? [] : [{ kind: "folder", path, name, why }];
}

/**
 * Returns the id of the HelmChart that a HelmChartConfig or a HelmChart itself is about; undefined
 * for other objects.
 */
export function k3sChart({ value }: OtherObject): { readonly id: string; readonly isConfig: boolean } | undefined {
  if (!String(value.apiVersion).startsWith("helm.cattle.io/")) return undefined;
  const { name, namespace } = nameOf(value);
  return { id: `${namespace}/${name}`, isConfig: value.kind === "HelmChartConfig" };
}

export interface Holder {
  readonly object: OtherObject;
  readonly file: string;
}

/** Returns the HelmCharts by id, and the HelmChartConfigs that set values above theirs. */
export function k3sObjects(files: Files) {
  const charts = new Set<string>();
  const configs = new Map<string, Holder>();
  for (const [file, { others }] of files)
    for (const object of others) {
      const about = k3sChart(object);
      if (about?.isConfig === true) configs.set(about.id, { object, file });
      else if (about !== undefined) charts.add(about.id);
    }
  return { charts, configs };
}

function k3sRelease(value: Mapping): Release[] {
  const { name, namespace } = nameOf(value);
  const spec = at(value, "spec");
  const named = (value.kind === "HelmChart" && text(at(spec, "chart"))) || name;
  const chart = chartOf(named, text(at(spec, "repo")));
  if (chart === undefined) return [];
  return [
    {
      of: `${text(value.kind)} ${namespace}/${name}`,
      namespace: text(at(spec, "targetNamespace")) || namespace,
      name,
      chart,
      ...(named.endsWith("rke2-ingress-nginx") && { isOfRke2: true as const }),
      parts: k3sParts(value),
    },
  ];
}

/** Returns the values of a HelmChart, or those that a HelmChartConfig sets above them. */
export function k3sParts(value: Mapping): readonly Part[] {
  const spec = at(value, "spec");
  const content: Part[] =
    text(at(spec, "valuesContent")) === "" ? [] : [{ kind: "text", path: ["spec", "valuesContent"] }];
  const secrets = list(at(spec, "valuesSecrets")).map((one, number): Part => {
    const why = `its values in Secret ${text(at(one, "name"))} are not read`;
    return { kind: "elsewhere", path: ["spec", "valuesSecrets", number], why };
  });
  const set = at(spec, "set");
  const parameters = Object.entries(isMapping(set) ? set : {}).map(
    ([key, one]): Part => ({ kind: "parameter", path: ["spec", "set", key], name: key, value: String(one) }),
  );
  return [...content, ...secrets, ...parameters];
}

/** `above` is the path of the list; a generator of a single chart is in none. */
function kustomizeReleases(charts: readonly unknown[], above: Path): Release[] {
  return charts.flatMap((one, number): Release[] => {
    const chart = chartOf(text(at(one, "name")) || text(at(one, "chartName")), text(at(one, "repo")));
    if (chart === undefined) return [];
    const path: Path = above.length === 0 ? [] : [...above, number];
    const parts: Part[] = [
      ...filesOf(one).map(({ name, below }): Part => {
        const why = `its values file ${name} is not read: name it with --values`;
        return { kind: "file", path: [...path, ...below], from: "object", name, why };
      }),
      ...(isMapping(at(one, "valuesInline")) ? [{ kind: "inline", path: [...path, "valuesInline"] } as const] : []),
    ];
    const name = text(at(one, "releaseName")) || "ingress-nginx";
    return [
      { of: `kustomization's chart ${name}`, namespace: text(at(one, "namespace")) || "default", name, chart, parts },
    ];
  });
}

/** Returns the values files that a kustomization names for its charts, of any chart. */
export function valuesFilesOf(value: Mapping): readonly string[] {
  return [value, ...list(value.helmCharts)].flatMap((one) => filesOf(one).map(({ name }) => name));
}

/** Returns the values files of a chart in a kustomization, each with its place below the chart. */
function filesOf(chart: unknown): readonly { readonly name: string; readonly below: Path }[] {
  const more = list(at(chart, "additionalValuesFiles")).map((name, number) => {
    return { name: text(name), below: ["additionalValuesFiles", number] as Path };
  });
  const one = ["valuesFile", "values"].map((key) => ({ name: text(at(chart, key)), below: [key] as Path }));
  const all = [...one, ...more];
  return all.filter(({ name }) => name !== "");
}

/** Returns the reason for not judging a release of another vendor's chart. */
export const otherVendor = (vendor: Vendor): string => `it is ${vendors[vendor]}`;

/**
 * Makes nested mappings of `controller.config.hsts` and a value; a dot after a backslash is part of
 * a name. As for helm, a short number is a number.
 */
export function asMapping(name: string, value: string): Mapping {
  const steps = name.split(/(?<!\\)\./).map((step) => step.replaceAll("\\.", "."));
  const typed = /^(?:true|false|0|-?[1-9]\d{0,5})$/.test(value) ? JSON.parse(value) : value;
  return steps.reduceRight<unknown>((inside, step) => ({ [step]: inside }), typed) as Mapping;
}

/** Merges two values: of two mappings it takes the keys of both. */
export function merged(below: unknown, above: unknown): unknown {
  if (!isMapping(below) || !isMapping(above)) return above;
  const keys = [...new Set([...Object.keys(below), ...Object.keys(above)])];
  return Object.fromEntries(
    keys.map((key) => [key, Object.hasOwn(above, key) ? merged(below[key], above[key]) : below[key]]),
  );
}

function nameOf({ metadata }: Mapping): { readonly name: string; readonly namespace: string } {
  return { name: text(at(metadata, "name")), namespace: text(at(metadata, "namespace")) || "default" };
}

const text = (value: unknown): string => (typeof value === "string" ? value : "");
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** Returns the place of a line in a block text that begins below its key. */
export function placeInText(key: Place, inner: Place): Place {
  return { line: key.line + inner.line, column: key.column + 1 + inner.column };
}
