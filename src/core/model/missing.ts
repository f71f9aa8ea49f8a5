/**
 * Objects that something names and that do not exist. Their words and their names are made
 * together here, so no code has to read a name back out of a sentence.
 */

import { nameOf } from "./objects.ts";
import type { ObjectName, Problem, Why } from "./problem.ts";

/** Says that there is no object of the kind with this `namespace/name`. */
export function notFound(kind: string, key: string): Why & { readonly missing: ObjectName } {
  return { why: `${kind} ${key} not found`, missing: { kind, ...nameOf(key) } };
}

/** Returns the object whose absence is the mistake; undefined if the mistake is another one. */
export function missingIn(problem: Problem): ObjectName | undefined {
  return problem.kind === "service-missing" ? { kind: "Service", ...nameOf(problem.service) } : problem.missing;
}
