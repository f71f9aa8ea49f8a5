/**
 * References and what is wrong with them: the named object does not exist, is of another kind, or
 * may not be used from there. Words and names are made together here, so no code has to read a
 * name back out of a sentence.
 */

import { nameOf } from "./objects.ts";
import { type Mistake, named, type ObjectName, type Problem, type Why } from "./problem.ts";

/** Says that there is no object of the kind with this `namespace/name`. */
export function notFound(kind: string, key: string): Why & { readonly missing: ObjectName } {
  return { why: `${kind} ${key} not found`, missing: { kind, ...nameOf(key) } };
}

/** The same as the mistake of a field. */
export function missing(kind: string, key: string): Mistake {
  return { kind: "reference-missing", missing: { kind, ...nameOf(key) } };
}

export function wrongKind({ group = "", kind = "" }: { group?: string; kind?: string }, wanted: string): Mistake {
  return { kind: "reference-unusable", why: `names a ${group === "" ? "" : `${group} `}${kind}, not a ${wanted}` };
}

/** The words for a missing ReferenceGrant. `from` are the objects of a kind in a namespace. */
export function noGrant(from: { readonly kind: string; readonly namespace: string }, to: ObjectName): string {
  const those = from.kind.endsWith("s") ? from.kind : `${from.kind}s`;
  return `no ReferenceGrant of namespace ${to.namespace} permits ${those} of namespace ${from.namespace} to use ${named(to)}`;
}

/** Returns the object whose absence is the mistake; undefined if the mistake is another one. */
export function missingIn(problem: Problem): ObjectName | undefined {
  return problem.kind === "service-missing" ? { kind: "Service", ...nameOf(problem.service) } : problem.missing;
}
