/**
 * Finds paths that do not fit their path type (RS-29.7). Only the webhook refuses them: an Ingress
 * that is in the cluster already is served as it is.
 */
import { shown, unfilled } from "../../core/kinds/kind.ts";
import { regexMistake, starAdvice } from "../../core/kinds/patterns.ts";
import type { Ingress } from "../../core/model/objects.ts";

export interface Finding {
  /** `spec.rules[0].http.paths[1].path` */
  readonly field: string;
  /** Completes the sentence "<field>: …". */
  readonly why: string;
}

const literal = /^\/[A-Za-z0-9._/-]*$/;

/**
 * Finds paths with the type Exact or Prefix, or with no type, that are more than a literal path.
 */
export function unliteralPaths(ingress: Ingress): Finding[] {
  return pathsOf(ingress).flatMap(({ field, path, pathType }) => {
    if (pathType === "ImplementationSpecific" || literal.test(path)) return [];
    const where = pathType === undefined ? "no pathType" : `pathType ${pathType}`;
    const may = "may only hold letters, digits and . _ - / and begins with /";
    const advice = unfilled(path) ?? starAdvice(path) ?? "ImplementationSpecific takes patterns";
    return [{ field, why: `${shown(path)} has ${where}, which ${may}; ${advice}` }];
  });
}

/** Finds patterns that no regular expression library would accept. */
export function brokenPatterns(ingress: Ingress): Finding[] {
  return pathsOf(ingress).flatMap(({ field, path, pathType }) => {
    const mistake = pathType === "ImplementationSpecific" ? regexMistake(path) : undefined;
    return mistake === undefined ? [] : [{ field, why: `${shown(path)} is not a regular expression: ${mistake}` }];
  });
}

function pathsOf({ spec }: Ingress) {
  return [...(spec?.rules ?? []).entries()].flatMap(([r, { http }]) =>
    [...(http?.paths ?? []).entries()].flatMap(([p, { path, pathType }]) =>
      path === undefined || path === "" ? [] : [{ field: `spec.rules[${r}].http.paths[${p}].path`, path, pathType }],
    ),
  );
}
