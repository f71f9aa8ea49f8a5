import type { HTTPIngressPath } from "../../model/objects.ts";
import type { PathMatch } from "../claim.ts";

/**
 * The effective path and path type of a rule: ImplementationSpecific and no type are Prefix, no
 * path is `/` (RS-5.5).
 */
export function typedPath({ path, pathType }: Pick<HTTPIngressPath, "path" | "pathType">): PathMatch {
  const text = path === undefined || path === "" ? "/" : path;
  const type = pathType === "Exact" ? "exact" : "prefix";
  return { text, type, loose: pathType === "ImplementationSpecific" };
}
