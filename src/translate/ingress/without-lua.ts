/**
 * Problems of annotations that need Lua, in an nginx without it, as with --mode=static. A missing
 * module of nginx is a Problem by `needs`.
 */
import type { FeatureValues } from "../../annotations/registry.ts";
import type { Ingress } from "../../model/objects.ts";
import type { Problem } from "../../problem.ts";
import { lostWithoutLua } from "./beside.ts";

/** `prefix` is that of the annotations, without a slash. */
export function withoutLuaOf(ingress: Ingress, prefix: string, values: FeatureValues): Problem[] {
  const { namespace = "default", name, annotations = {} } = ingress.metadata;
  const object = { kind: "Ingress", namespace, name };
  return Object.entries(annotations).flatMap(([written, text]): Problem[] => {
    const key = written.startsWith(`${prefix}/`) ? written.slice(prefix.length + 1) : "";
    const lost = text === "" ? undefined : lostWithoutLua(key, values);
    if (lost === undefined) return [];
    return [{ object, kind: lost.useless ? "annotation-useless" : "annotation-doubtful", key, why: lost.why }];
  });
}
