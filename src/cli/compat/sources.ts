/**
 * Finds all values of ingress-nginx's chart: files named with --values, releases inside other
 * tools' objects, values files and umbrella charts in the folder. Sources that cannot be followed
 * are reported as not judged.
 */
import { dirname, join, normalize } from "node:path";
import { isMapping, type Mapping } from "../../core/model/mapping.ts";
import type { ConfigMap } from "../../core/model/objects.ts";
import type { FilePlace } from "../../core/model/problem.ts";
import type { Path } from "../../edges/folder/check.ts";
import type { OtherObject } from "../../edges/folder/manifest.ts";
import { doubledWords } from "../../edges/folder/mistakes/doubled-keys.ts";
import { isHelmfile } from "../../edges/folder/mistakes/other-tools.ts";
import type { Place } from "../../edges/folder/place.ts";
import { readYaml } from "../../edges/folder/yaml.ts";
import type { Files } from "../tools/folder.ts";
import { changesOf, listed } from "../tools/kustomizations.ts";
import { type ChartPart, chartPart } from "./chart/chart-part.ts";
import {
  asMapping,
  type Holder,
  isKustomization,
  k3sChart,
  k3sObjects,
  k3sParts,
  merged,
  otherVendor,
  placeInText,
  releasesIn,
  valuesFilesOf,
} from "./chart/embedded.ts";
import { isFleet } from "./chart/fleet.ts";
import { isOtherContent, mentionsIngress } from "./chart/other-content.ts";
import type { Part, Release } from "./chart/release.ts";
import { notesOfRke2, rke2Defaults } from "./chart/rke2.ts";
import { dependenciesOf, isChart, isOfAnotherChart, isOfAnotherRelease, isTestOfChart } from "./chart/umbrella.ts";
import { declaredTops, type ReadValues, type ValuesSource } from "./chart/values.ts";
import type { Unjudged } from "./unjudged.ts";
import { vendors } from "./vendors.ts";

export interface Sources {
  readonly sources: readonly ValuesSource[];
  readonly unjudged: readonly Unjudged[];
  /**
   * Places of mappings without a kind that could be read as values files or charts, as `file:line`.
   */
  readonly understood: ReadonlySet<string>;
}

type Given = ReadValues & { readonly ok: true };

export function valuesSources(given: readonly Given[], files: Files): Sources {
  const sources: ValuesSource[] = [];
  const unjudged: Unjudged[] = [];
  const understood = new Set<string>();
  const take = (part: ChartPart, of: string, file: string, written: Written, home?: ValuesSource["home"]) => {
    if (part.kind === "vendor") {
      const at = { file, ...written.placeOf(part.path) };
      unjudged.push({ of: file, at, why: `these are values of ${vendors[part.vendor]}` });
    } else if (part.kind === "values") {
      const placeOf = (path: Path) => ({ file, ...written.placeOf([...part.path, ...path]) });
      sources.push({ of, file, content: part.content, placeOf, home: home ?? usualHome, others: part.others });
      unjudged.push(...doubledIn(written, file, part.path));
    }
    return part.kind !== "none";
  };
  const fromCall = given.map(({ file, content, placeOf }) => [file, { value: content, placeOf }] as const);
  const all = given.reduce<unknown>((below, { content }) => merged(below, content), {}) as Mapping;
  if (given.length > 0) {
    const found = chartPart(all, declaredTops());
    const below = found.kind === "none" ? [] : found.path;
    for (const one of given) unjudged.push(...doubledIn(one, one.file, below));
    const part: ChartPart = found.kind === "none" ? { kind: "values", content: all, path: [], others: [] } : found;
    const holderOf = (path: Path) => fromCall.findLast(([, written]) => has(written.value, path)) ?? fromCall.at(-1)!;
    const placeOf = (path: Path): FilePlace => {
      const [file, holder] = holderOf(path);
      return { file, ...holder.placeOf(path) };
    };
    take(part, "values", fromCall.at(-1)![0], { value: all, placeOf });
  }
  const named = valuesFilesIn(files);
  const k3s = k3sObjects(files);
  // Without any object, other content is all that was given, so it is named.
  const isAlone = ![...files.values()].some(({ objects, others }) => objects.length + others.length > 0);
  for (const [file, { others, strays = [] }] of files) {
    for (const other of [...others, ...strays.filter(({ value }) => isKustomization(value) || isFleet(value))]) {
      const about = k3sChart(other);
      if (about?.isConfig === true && k3s.charts.has(about.id)) continue;
      const config = about && k3s.configs.get(about.id);
      for (const release of releasesIn(other)) {
        const found = sourceOf(release, { object: other, file }, files, about?.isConfig === false ? config : undefined);
        unjudged.push(...found.unjudged);
        if (found.source !== undefined) sources.push(found.source);
      }
      const why = isKustomization(other.value) ? unbuilt(other.value) : undefined;
      if (why !== undefined) unjudged.push({ of: file, at: { file, ...other.placeOf([]) }, why });
    }
    for (const stray of strays) {
      const isKnown =
        isKustomization(stray.value) ||
        isFleet(stray.value) ||
        named.has(file) ||
        isChart(stray.value, file) ||
        isOfAnotherChart(file, files) ||
        isTestOfChart(file, files) ||
        (!isNamedLikeOurs(file) && isOfAnotherRelease(file, files)) ||
        take(partWithin(asWritten(stray), file, files), "values", file, stray);
      const isOther = isKnown || isOtherContent(stray.value, file, files);
      const why = isKnown ? undefined : unreadContent(stray.value);
      if (isOther && why !== undefined) unjudged.push({ of: file, at: { file, ...stray.placeOf([]) }, why });
      if (isKnown || (isOther && (why !== undefined || !isAlone))) understood.add(`${file}:${stray.placeOf([]).line}`);
    }
  }
  return { sources, unjudged, understood };
}

/**
 * Returns the values files that kustomizations and Applications name. One of ours is read with its
 * release, and the others belong to other charts.
 */
function valuesFilesIn(files: Files): ReadonlySet<string> {
  return new Set(
    [...files].flatMap(([file, { others, strays = [] }]) => [
      ...[...others, ...strays].flatMap(({ value }) =>
        isKustomization(value) ? valuesFilesOf(value).map((name) => join(dirname(file), name)) : [],
      ),
      ...[...others, ...strays.filter(({ value }) => isFleet(value))]
        .flatMap(releasesIn)
        .flatMap(({ chart, parts }) =>
          parts.flatMap((part) => (chart === "ours" && part.kind === "file" ? [pathOf(part, file)] : [])),
        ),
    ]),
  );
}

const usualHome = { namespace: "ingress-nginx", name: "ingress-nginx-controller" } as const;

type Written = Pick<OtherObject, "placeOf" | "doubled"> & { readonly value: unknown };

/** Names keys of the chart's values that a file has twice; keys of other charts are left out. */
function doubledIn({ doubled = [] }: Pick<OtherObject, "doubled">, file: string, below: Path): Unjudged[] {
  return doubled.flatMap((key): Unjudged[] => {
    if (!below.every((step, at) => [...key.above, key.name][at] === step)) return [];
    const lost = `helm takes the last one, so what stands in line ${key.first.line} has no effect and is not judged`;
    return [{ of: file, at: { file, ...key.place }, why: `${doubledWords(key)}; ${lost}; remove one of them` }];
  });
}

/**
 * Returns the merged values of one release; none if the chart is not ingress-nginx's. Parameters of
 * a HelmChart count more than the values of its HelmChartConfig.
 */
function sourceOf(release: Release, { object, file }: Holder, files: Files, config: Holder | undefined) {
  const { of, chart, namespace, name, parts } = release;
  const about = { of, namespace };
  if (chart !== "ours")
    return { unjudged: [{ ...about, at: { file, ...object.placeOf([]) }, why: otherVendor(chart) }] };
  const unjudged: Unjudged[] = [];
  const read: FoundPart[] = [];
  const isLast = ({ kind }: Part) => kind === "parameter";
  const all: (readonly [Part, Holder])[] = [
    ...parts.filter((part) => !isLast(part)).map((part) => [part, { object, file }] as const),
    ...(config === undefined ? [] : k3sParts(config.object.value).map((part) => [part, config] as const)),
    ...parts.filter(isLast).map((part) => [part, { object, file }] as const),
  ];
  for (const [part, holder] of all) {
    const found = partOf(part, holder.object, holder.file, files);
    if (typeof found === "string")
      unjudged.push({ ...about, at: { file: holder.file, ...holder.object.placeOf(part.path) }, why: found });
    else {
      read.push(found);
      unjudged.push(...doubledIn(found, found.file, []).map((one) => ({ ...about, ...one, of })));
    }
  }
  const own = read.reduce<unknown>((below, { value }) => merged(below, value), {}) as Mapping;
  const content = release.isOfRke2 === true ? (merged(rke2Defaults, own) as Mapping) : own;
  const holderOf = (path: Path) => read.findLast(({ value }) => has(value, path));
  const base = name.includes("ingress-nginx") ? name : `${name}-ingress-nginx`;
  const placeOf = (path: Path) => {
    const holder = holderOf(path) ?? { file, placeOf: () => object.placeOf([]) };
    return { file: holder.file, ...holder.placeOf(path) };
  };
  const home = { namespace, name: `${base}-controller` };
  const notes = release.isOfRke2 === true && { notes: notesOfRke2(own) };
  const isPartial = read.length < all.length && { isPartial: true as const };
  const source: ValuesSource = { of, file, content, placeOf, home, others: [], ...notes, ...isPartial };
  if (release.isFolder !== true) return { source, unjudged };
  const inner = chartPart(content, declaredTops());
  if (inner.kind === "none") return { unjudged };
  if (inner.kind === "vendor")
    return { unjudged: [...unjudged, { ...about, at: placeOf(inner.path), why: otherVendor(inner.vendor) }] };
  const { path: above, others } = inner;
  const below: ValuesSource["placeOf"] = (path) => placeOf([...above, ...path]);
  return { source: { ...source, content: inner.content, placeOf: below, others }, unjudged };
}

function pathOf({ from, name }: Part & { readonly kind: "file" }, file: string): string {
  return from === "top" ? normalize(name) : join(dirname(file), name);
}

type FoundPart = Written & { readonly file: string };

/** Returns a sentence if the part cannot be read. */
function partOf(part: Part, object: OtherObject, file: string, files: Files): FoundPart | string {
  if (part.kind === "elsewhere") return part.why;
  if (part.kind === "file") {
    const other = pathOf(part, file);
    const found = files.get(other)?.strays?.[0];
    return found === undefined ? part.why : { ...found, value: asWritten(found), file: other };
  }
  if (part.kind === "folder") {
    const isHere = [...files.keys()].some((one) => `/${one}`.includes(`/${part.name}/`));
    return isHere ? { value: {}, file, placeOf: () => object.placeOf([]) } : part.why;
  }
  const { path } = part;
  const placeOf = (inner: Path) => object.placeOf([...path, ...inner]);
  const value = path.reduce<unknown>((inside, key) => (inside as Mapping)?.[key as string], asWritten(object));
  if (part.kind === "inline") return { value, file, placeOf };
  if (part.kind === "parameter")
    return { value: asMapping(part.name, part.value), file, placeOf: () => object.placeOf(path) };
  if (part.kind === "text") return ofText(String(value), file, object.placeOf(path));
  for (const [other, { objects }] of files) {
    const found = objects.find(({ kind, key }) => kind === "ConfigMap" && key === part.id);
    const text = (found?.object as ConfigMap | undefined)?.data?.[part.key];
    if (text !== undefined) return ofText(text, other, found!.placeOf(["data", part.key]));
  }
  return `its values in ConfigMap ${part.id} are not here`;
}

function ofText(text: string, file: string, key: Place): FoundPart | string {
  const yaml = readYaml(text);
  if (!yaml.ok) return `its values are no YAML: line ${yaml.place.line}: ${yaml.why}`;
  const [document] = yaml.documents;
  const value = document?.value ?? {};
  if (!isMapping(value)) return "its values are not a mapping";
  const placed = (inner: Place = { line: 1, column: 1 }) => placeInText(key, inner);
  const doubled = document?.doubled?.map((one) => ({ ...one, first: placed(one.first), place: placed(one.place) }));
  return { value, file, placeOf: (path) => placed(document?.placeOf(path)), ...(doubled && { doubled }) };
}

/** Values keep their nulls, because helm removes a default whose value is null. */
const asWritten = ({ value, withNulls }: OtherObject): Mapping => (isMapping(withNulls) ? withNulls : value);

function has(value: unknown, path: Path): boolean {
  let inside = value;
  for (const step of path) {
    if (typeof inside !== "object" || inside === null || !Object.hasOwn(inside, step)) return false;
    inside = (inside as Mapping)[step as string];
  }
  return true;
}

/**
 * Returns the reason why a kustomization cannot be judged. One that only lists files changes
 * nothing and has no such reason.
 */
function unbuilt(value: Mapping): string | undefined {
  const changes = changesOf(value);
  if (changes.length === 0) return undefined;
  return `a kustomization is not built here, so the effect of its ${listed(changes)} is not seen: pipe kustomize build into sluice compat -`;
}

/** Finds the chart's values in a file, by the chart beside it. */
export function partWithin(values: Mapping, file: string, files: Files): ChartPart {
  const known = dependenciesOf(file, files);
  const ours = known.filter(({ chart }) => chart === "ours").map(({ alias }) => alias);
  const foreign = known.find(({ alias, chart }) => chart !== "ours" && isMapping(values[alias]));
  if (ours.length === 0 && foreign !== undefined && foreign.chart !== "ours")
    return { kind: "vendor", vendor: foreign.chart, path: [foreign.alias] };
  return chartPart(values, declaredTops(), { aliases: ours, isNamed: isNamedLikeOurs(file) });
}

/** Whether a file's name says ingress-nginx. A folder `ingress` may hold any controllers. */
function isNamedLikeOurs(file: string): boolean {
  const nearest = file.split("/").slice(-2).join("/");
  return /nginx/i.test(file) || /ingress/i.test(nearest);
}

/** Returns why content is not judged; undefined if it is not about Ingresses. */
function unreadContent(value: Mapping): string | undefined {
  if (isHelmfile(value))
    return "this is a helmfile, whose releases are not read: name their values files with --values, and pipe helmfile template into sluice compat -";
  if (!mentionsIngress(value)) return undefined;
  return "it is not a Kubernetes object, and its keys are not those of ingress-nginx's chart: if a chart makes Ingresses of it, pipe helm template into sluice compat -";
}
