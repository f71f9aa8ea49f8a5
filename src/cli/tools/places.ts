/**
 * Finds the line of a Problem in its object: that of the annotation, of the ConfigMap's key, or of
 * the field.
 */
import { type Path, pathOf } from "../../manifests/check.ts";
import type { ConfigMap, Ingress, KubernetesObject } from "../../model/objects.ts";
import type { Problem } from "../../problem.ts";

/** `prefix` is that of the annotations. Empty: the Problem is about the object as a whole. */
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
        : ["metadata", "annotations", `${prefix}/${problem.key}`];
    case "setting-unreadable":
    case "setting-unknown":
    case "setting-useless":
    case "setting-doubtful":
      return ["data", spelled(object as ConfigMap, problem.key)];
    case "path-taken":
    case "path-contested":
      return rulePath(object as Ingress, problem.host, problem.path);
    case "certificate-doubtful":
      return ["data", "tls.crt"];
    case "certificate-misfit":
      return tlsPath(object as Ingress, problem.host);
    default:
      return "field" in problem ? fieldPath(problem.field, prefix) : [];
  }
}

/** Letter case does not matter in keys of the ConfigMap. */
function spelled({ data = {} }: ConfigMap, key: string): string {
  return key in data ? key : (Object.keys(data).find((one) => one.toLowerCase() === key) ?? key);
}

function fieldPath(field: string, prefix: string): Path {
  const key = /^annotation (.+)$/.exec(field)?.[1];
  if (key === undefined) return pathOf(field);
  return ["metadata", "annotations", key.includes("/") ? key : `${prefix}/${key}`];
}

function rulePath({ spec }: Ingress, host: string, path: string): Path {
  for (const [r, rule] of (spec?.rules ?? []).entries()) {
    if (((rule.host ?? "") === "" ? "*" : rule.host!.toLowerCase()) !== host) continue;
    const at = (rule.http?.paths ?? []).findIndex((one) => ((one.path ?? "") === "" ? "/" : one.path) === path);
    if (at >= 0) return ["spec", "rules", r, "http", "paths", at, "path"];
  }
  return [];
}

function tlsPath({ spec }: Ingress, host: string): Path {
  for (const [t, { hosts = [] }] of (spec?.tls ?? []).entries()) {
    const at = hosts.findIndex((one) => one.toLowerCase() === host);
    if (at >= 0) return ["spec", "tls", t, "hosts", at];
  }
  return [];
}
