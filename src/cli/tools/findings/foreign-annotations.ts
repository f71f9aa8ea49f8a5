/**
 * Finds annotations with which Kong changes or guards a route, on Gateways and routes that Sluice
 * serves. Sluice does not read them, so paths would keep their prefix and plugins would not guard.
 */
import type { Problem } from "../../../problem.ts";
import type { Target } from "./foreign-policies.ts";

const prefix = "konghq.com/";

export function foreignAnnotations({ kind, namespace, name, annotations }: Target): readonly Problem[] {
  return Object.entries(annotations).flatMap(([key, value]): Problem[] => {
    if (!key.startsWith(prefix) || value === "false") return [];
    const why = `only Kong reads it, and Sluice serves this ${kind}; ${adviceFor(key)}`;
    return [{ kind: "annotation-useless", object: { kind, ...(namespace && { namespace }), name }, key, why }];
  });
}

function adviceFor(key: string): string {
  return key === `${prefix}strip-path`
    ? "the filter URLRewrite with replacePrefixMatch: / does the same"
    : "filters of the route or RouteSettings may do the same";
}
