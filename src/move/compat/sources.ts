/**
 * Gathers the chart's values and the annotations outside of Ingresses: from files named with
 * --values, from all objects and texts of the folder, and from Helm's releases in a cluster.
 */

import { isMapping, type Mapping } from "../../core/model/mapping.ts";
import type { ConfigMap } from "../../core/model/objects.ts";
import type { FilePlace } from "../../core/model/problem.ts";
import type { Path } from "../../core/schema/findings.ts";
import type { Manifest, OtherObject } from "../../edges/folder/manifest.ts";
import { isHelmfile } from "../../edges/folder/mistakes/other-tools.ts";
import { repaired } from "../../edges/folder/mistakes/repaired.ts";
import { isChart, isOtherContent } from "../../tools/findings/no-manifests.ts";
import type { Files } from "../../tools/folder.ts";
import { changesOf, isKustomization, listed } from "../../tools/kustomizations.ts";
import type { TextFile } from "../../tools/texts.ts";
import type { ReadValues, ValuesSource } from "./chart/values.ts";
import { doubledIn, FoundParts, type Group, isNamedLikeOurs, merged, namesOurs, usualHome } from "./found-parts.ts";
import type { Unjudged } from "./unjudged.ts";

export interface Sources {
  readonly sources: readonly ValuesSource[];
  readonly groups: readonly Group[];
  readonly unjudged: readonly Unjudged[];
  /** Places of mappings without a kind that need no mention, as `file:line`. */
  readonly understood: ReadonlySet<string>;
}

type Given = ReadValues & { readonly ok: true };

export function sourcesIn(given: readonly Given[], files: Files, texts: readonly TextFile[], prefix: string): Sources {
  const parts = new FoundParts(prefix, [...files.keys()]);
  if (given.length > 0) take(given, parts);
  const understood = new Set<string>();
  const isOfTest = (file: string) => /(^|\/)ci\/[\w-]*values\.ya?ml$/.test(file);
  const spare: string[] = [];
  for (const [file, manifest] of files) {
    if (isOfTest(file)) {
      for (const { placeOf } of manifest.strays ?? []) understood.add(`${file}:${placeOf([]).line}`);
      continue;
    }
    ofObjects(file, manifest, parts, prefix);
    for (const stray of manifest.strays ?? []) {
      const before = parts.count;
      const { value } = stray;
      parts.object(stray, { of: "values", file, isNamed: isNamedLikeOurs(file) || namesOurs(value), isFile: true });
      const isKnown = (parts.count > before && !isHelmfile(value)) || isKustomization(value) || isChart(value, file);
      const isOther = isKnown || isOtherContent(value, file, files);
      const why = isKnown ? undefined : unreadContent(value);
      if (isOther && why !== undefined) parts.unjudged.push({ of: file, at: { file, ...stray.placeOf([]) }, why });
      const place = `${file}:${stray.placeOf([]).line}`;
      if (isKnown || (isOther && why !== undefined)) understood.add(place);
      else if (isOther) spare.push(place);
    }
    for (const { value, placeOf } of [...manifest.others, ...(manifest.strays ?? [])]) {
      const why = isKustomization(value) ? unbuilt(value) : undefined;
      if (why !== undefined) parts.unjudged.push({ of: file, at: { file, ...placeOf([]) }, why });
    }
  }
  for (const { file, text } of texts) {
    const manifest = files.get(file);
    const isRead =
      manifest !== undefined && [manifest.objects, manifest.others, manifest.strays ?? []].flat().length > 0;
    if (isRead || isOfTest(file) || !/controller|ingress/i.test(text)) continue;
    const about = { of: file, file, isNamed: isNamedLikeOurs(file) || namesOurs(text), isFile: true };
    parts.text(text, about, (place) => place, /\.(ya?ml|json)(\.\w+)?$/i.test(file));
  }
  // Where nothing else was given, other content is named.
  const hasOthers =
    parts.count > 0 || [...files.values()].some(({ objects, others }) => objects.length + others.length > 0);
  if (hasOthers) for (const place of spare) understood.add(place);
  const { sources, groups, unjudged } = parts;
  return { sources, groups, unjudged, understood };
}

/** Searches objects of other kinds, the texts in ConfigMaps, and Ingresses that cannot be read. */
function ofObjects(file: string, { objects, others }: Manifest, parts: FoundParts, prefix: string): void {
  for (const other of others) {
    const of = nameOf(other);
    parts.object(other, { of, file, isNamed: isNamedLikeOurs(file) || namedOurs(other), isFile: false });
  }
  const isNamed = isNamedLikeOurs(file) || others.some(namedOurs);
  for (const { kind, key, object, placeOf, unread } of objects) {
    if (kind === "ConfigMap" && object !== undefined)
      parts.object(
        { value: { data: (object as ConfigMap).data ?? {} }, placeOf },
        { of: `ConfigMap ${key}`, file, isNamed, isFile: false },
      );
    if (kind !== "Ingress" || object !== undefined) continue;
    const annotations = Object.entries((unread && repaired(unread, kind))?.metadata.annotations ?? {}).flatMap(
      ([name, text]) => {
        const place = placeOf(["metadata", "annotations", name]);
        return name.startsWith(`${prefix}/`)
          ? [{ name: name.slice(prefix.length + 1), text: String(text), place }]
          : [];
      },
    );
    if (annotations.length > 0) parts.groups.push({ of: `Ingress ${key}`, file, annotations });
  }
}

/** Whether the object names ingress-nginx, and not only its namespace, which may hold others. */
function namedOurs({ value: { metadata, ...rest } }: OtherObject): boolean {
  return namesOurs([rest, isMapping(metadata) ? { ...metadata, namespace: "" } : metadata]);
}

function nameOf({ value: { kind, metadata } }: OtherObject): string {
  const { namespace = "default", name } = isMapping(metadata) ? metadata : {};
  return `${kind} ${namespace}/${name}`;
}

/** Lays the values files of the command line over each other. */
function take(given: readonly Given[], parts: FoundParts): void {
  const value = given.reduce<unknown>((below, { content }) => merged(below, content), {}) as Mapping;
  const before = parts.count;
  const holderOf = (path: Path) => given.findLast((one) => has(one.content, path)) ?? given.at(-1)!;
  const { file } = given.at(-1)!;
  const about = { of: "values", file, isNamed: true, isFile: true };
  parts.object({ value, placeOf: (path) => holderOf(path).placeOf(path) }, about);
  const [source] = parts.sources;
  const placeOf = (path: Path): FilePlace => ({ file: holderOf(path).file, ...holderOf(path).placeOf(path) });
  if (parts.count === before) parts.sources.push({ of: "values", file, content: value, placeOf, home: usualHome });
  else if (source !== undefined) {
    const above = Object.keys(value).filter((key) => value[key] === source.content);
    parts.sources[0] = { ...source, placeOf: (path) => placeOf([...above, ...path]) };
  }
  const below = Object.keys(value).filter((key) => value[key] === source?.content);
  for (const one of given) parts.unjudged.push(...doubledIn(one.doubled ?? [], one.file, below, one.file));
}

function has(value: unknown, path: Path): boolean {
  let inside = value;
  for (const step of path) {
    if (typeof inside !== "object" || inside === null || !Object.hasOwn(inside, step)) return false;
    inside = (inside as Mapping)[step as string];
  }
  return true;
}

/** Returns why a kustomization cannot be judged: a patch or the like may be about Ingresses. */
function unbuilt(value: Mapping): string | undefined {
  const changes = changesOf(value).filter((field) => /^(patches|replacements|generators|transformers)/.test(field));
  if (changes.length === 0 || !/ingress|nginx/i.test(JSON.stringify(value))) return undefined;
  return `a kustomization is not built here, so the effect of its ${listed(changes)} is not seen: pipe kustomize build into sluice compat -`;
}

/** Returns why content is not judged; undefined if it is not about Ingresses. */
function unreadContent(value: Mapping): string | undefined {
  if (isHelmfile(value) && /nginx/i.test(JSON.stringify(value)))
    return "this is a helmfile, whose releases are not read: name their values files with --values, and pipe helmfile template into sluice compat -";
  if (!/ingress/i.test(JSON.stringify(value))) return undefined;
  return "it is not a Kubernetes object, and its keys are not those of ingress-nginx's chart: if a chart makes Ingresses of it, pipe helm template into sluice compat -";
}
