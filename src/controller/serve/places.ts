/**
 * Finds the line of a Problem in its object: that of the annotation, of the ConfigMap's key, or of
 * the field.
 */

import { isMapping } from "../../core/model/mapping.ts";
import type { ConfigMap, Ingress, KubernetesObject } from "../../core/model/objects.ts";
import { named, type Problem } from "../../core/model/problem.ts";
import { type Path, pathOf } from "../../core/schema/findings.ts";

/**
 * Returns the path of the field; it is empty if the Problem is about the object as a whole.
 * `prefix` is that of the annotations.
 */
export function pathIn(object: KubernetesObject, problem: Problem, prefix: string): Path {
  switch (problem.kind) {
    case "annotation-unreadable":
    case "annotation-unknown":
    case "annotation-removed":
    case "annotation-useless":
    case "annotation-doubtful":
    case "annotation-partly":
    case "neighbours-changed":
      return object.kind === "RouteSettings"
        ? ["spec", problem.key]
        : ["metadata", "annotations", problem.key.includes("/") ? problem.key : `${prefix}/${problem.key}`];
    case "setting-unreadable":
    case "setting-unknown":
    case "setting-useless":
    case "setting-doubtful":
      return ["data", spelled(object as ConfigMap, problem.key)];
    case "path-taken":
    case "path-contested": {
      const paths = rulePaths(object as Ingress, problem.host, problem.path);
      return (named(problem.by) === named(problem.object) ? paths.at(-1) : paths[0]) ?? [];
    }
    case "nginx-refused":
      return refusedPath(object, problem.why, prefix);
    case "certificate-doubtful":
      return ["data", "tls.crt"];
    case "certificate-misfit":
      return tlsPath(object as Ingress, problem.host);
    default:
      return "field" in problem ? fieldPath(problem.field, prefix) : [];
  }
}

/** Returns the key as the ConfigMap spells it, because letter case does not matter there. */
function spelled({ data = {} }: ConfigMap, key: string): string {
  return key in data ? key : (Object.keys(data).find((one) => one.toLowerCase() === key) ?? key);
}

function fieldPath(field: string, prefix: string): Path {
  const key = /^annotation (.+)$/.exec(field)?.[1];
  if (key === undefined) return pathOf(field);
  return ["metadata", "annotations", key.includes("/") ? key : `${prefix}/${key}`];
}

/**
 * Returns the field whose text has what nginx's message has in quotes, snippets first. If none
 * has it, the only snippet is meant, because all other texts are quoted.
 */
function refusedPath(object: KubernetesObject, why: string, prefix: string): Path {
  const { metadata } = object;
  const annotations = Object.entries(metadata.annotations ?? {}).filter(([key]) => key.startsWith(`${prefix}/`));
  const fields = annotations.map(([key, text]): Text => [["metadata", "annotations", key], text]);
  const snippets = fields.filter(([path]) => String(path.at(-1)).endsWith("-snippet"));
  const others = fields.filter((one) => !snippets.includes(one));
  const all = [...snippets, ...others, ...textsIn("spec" in object ? object.spec : undefined, ["spec"])];
  const words = [...why.matchAll(/"([^"]*\w\w[^"]*)"/g)].map(([, word]) => word!);
  const found = words.map((word) => all.find(([, text]) => text.includes(word))).find((one) => one !== undefined);
  return (found ?? (snippets.length === 1 ? snippets[0] : undefined))?.[0] ?? [];
}

type Text = readonly [path: Path, text: string];

function textsIn(value: unknown, path: Path): readonly Text[] {
  if (typeof value === "string") return [[path, value]];
  if (Array.isArray(value)) return value.flatMap((item, at) => textsIn(item, [...path, at]));
  return isMapping(value) ? Object.entries(value).flatMap(([key, item]) => textsIn(item, [...path, key])) : [];
}

function rulePaths({ spec }: Ingress, host: string, path: string): readonly Path[] {
  return [...(spec?.rules ?? []).entries()].flatMap(([r, rule]) => {
    if (((rule.host ?? "") === "" ? "*" : rule.host!.toLowerCase()) !== host) return [];
    const paths = [...(rule.http?.paths ?? []).entries()].filter(([, one]) => (one.path || "/") === path);
    return paths.map(([at]): Path => ["spec", "rules", r, "http", "paths", at, "path"]);
  });
}

function tlsPath({ spec }: Ingress, host: string): Path {
  for (const [t, { hosts = [] }] of (spec?.tls ?? []).entries()) {
    const at = hosts.findIndex((one) => one.toLowerCase() === host);
    if (at >= 0) return ["spec", "tls", t, "hosts", at];
  }
  return [];
}
