/**
 * Finds annotations that need Lua, in an nginx without it, as with --mode=static. For missing
 * modules of nginx, features declare `needs`.
 */

import type { Ingress } from "../../model/objects.ts";
import type { Problem } from "../../model/problem.ts";
import type { FeatureValues } from "../../policies/registry.ts";
import { lostWithoutLua } from "./beside.ts";

/**
 * Returns one Problem for each such annotation. `prefix` is the annotations' prefix, without a
 * slash.
 */
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
