/**
 * What several Ingresses, or the paths of one, make of a host that their authors will not have meant. It is served as it is
 * written; the authors are told.
 */
import { unannotated } from "../annotations/read.ts";
import { featureList } from "../annotations/registry.ts";
import type { Problem } from "../problem.ts";
import type { Settings } from "../settings/registry.ts";
import type { Claim } from "./claim.ts";
import { pathFault, typedPath } from "./paths.ts";

/** Paths that look like patterns on a host without regular expressions. `host` is its key in the Claims. */
export function literalPatterns(host: string, claims: readonly Claim[]): Problem[] {
  return claims.flatMap(({ object, hosts }) =>
    (hosts.get(host) ?? []).flatMap(({ field, path }): Problem[] => {
      const typed = typedPath(path);
      // One that is ignored is told of already, without its line breaks.
      if (pathFault(typed) !== undefined) return [];
      const { text } = typed;
      if (path.pathType !== "ImplementationSpecific" || !/[*+?^$()[\]{}|\\]/.test(text)) return [];
      const why = `${text} looks like a regular expression, and use-regex is not true`;
      return [{ object, kind: "field-unusable", field: `${field}.path`, why, done: "it is taken letter by letter" }];
    }),
  );
}

/** The oldest Ingress of a host with several has its implicit `/`, and so guards what nobody has defined (RS-3.6). */
export function guardedByOldest(host: string, claims: readonly Claim[], settings: Settings): Problem[] {
  const [oldest, ...others] = claims;
  if (oldest === undefined || others.length === 0) return [];
  const plain = unannotated(settings);
  const guards = featureList.filter(([name, { guard, scope }]) => {
    return guard === true && scope === "location" && oldest.values[name] !== plain[name];
  });
  return guards.slice(0, 1).map(([, { name }]) => ({
    object: oldest.object,
    kind: "field-unusable",
    field: "spec.rules",
    why: `no Ingress of host ${host} has the path /`,
    done: `${name} of this one, the oldest, holds for all paths that nobody names`,
  }));
}
