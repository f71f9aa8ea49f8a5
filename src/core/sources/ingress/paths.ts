import type { HTTPIngressPath } from "../../model/objects.ts";
import type { PathMatch } from "../../table/claim.ts";

/**
 * Returns the effective path and path type of a rule: ImplementationSpecific or a missing type is
 * Prefix, and a missing path is `/` (RS-5.5).
 */
export function typedPath({ path, pathType }: Pick<HTTPIngressPath, "path" | "pathType">): PathMatch {
  const text = path === undefined || path === "" ? "/" : path;
  const type = pathType === "Exact" ? "exact" : "prefix";
  return { text, type, loose: pathType === "ImplementationSpecific" };
}
