/**
 * Finds fields of an object that Sluice does not know: those of a newer definition, which the API
 * server keeps, or of a file, which may have any. Each becomes a Problem. One that may be a guard
 * also closes what it stands on, because without it clients would get in that it keeps out.
 */

import { hasGuardName, isGuardName } from "../kinds/gateway/guard-fields.ts";
import { isMapping } from "../model/mapping.ts";
import type { KubernetesObject } from "../model/objects.ts";
import type { ObjectName, Problem } from "../model/problem.ts";
import { type Finding, fieldOf } from "../schema/findings.ts";
import { findingsIn } from "../sources/gateway/types/kinds.ts";

export interface UnknownField {
  /** Such as `spec.listeners[0].auth`. */
  readonly field: string;
  /** Whether a name above it, its own name or a name inside it is that of a guard. */
  readonly mayGuard: boolean;
}

/** More Problems than this about one object tell its author nothing new. */
const mostNotes = 16;

const noFields: readonly UnknownField[] = [];
const known = new WeakMap<readonly Finding[], readonly UnknownField[]>();

/** Returns the fields of the object that its definition does not have. */
export function unknownIn(object: KubernetesObject): readonly UnknownField[] {
  const findings = findingsIn(object);
  if (findings.length === 0) return noFields;
  const before = known.get(findings);
  if (before !== undefined) return before;
  const all = findings.flatMap((one) => (one.unknown && one.path[0] !== "status" ? [unknownField(one)] : []));
  known.set(findings, all);
  return all;
}

function unknownField({ path, unknown }: Finding): UnknownField {
  const isGuard = path.some((step) => typeof step === "string" && isGuardName(step));
  return { field: fieldOf(path), mayGuard: isGuard || hasGuardName(unknown?.value) };
}

/** Whether the field is `place`, or stands below it. */
export function isBelow(field: string, place: string): boolean {
  return field.startsWith(place) && (field.length === place.length || ".[".includes(field[place.length]!));
}

export const strange = "is a field that Sluice does not know";

/** Returns the Problem of a field that may be a guard. `done` is what is closed because of it. */
export function closingProblem(object: ObjectName, { field }: UnknownField, done: string): Problem {
  return { object, kind: "guard-unknown", field, done };
}

/** Returns the Problems of fields that are ignored. */
export function ignoredProblems(object: ObjectName, fields: readonly UnknownField[]): readonly Problem[] {
  const some = fields.slice(0, mostNotes).map(({ field }): Problem => {
    return { object, kind: "field-doubtful", field, why: `${strange}, and it has no effect` };
  });
  const more = fields.length - some.length;
  if (more <= 0) return some;
  return [
    ...some,
    { object, kind: "field-doubtful", field: "spec", why: `has ${more} more fields that Sluice does not know` },
  ];
}

/** Whether a value is not empty. Lists and mappings without content are. */
export function isFilled(value: unknown): boolean {
  if (value === undefined || value === null || value === "") return false;
  if (Array.isArray(value)) return value.length > 0;
  return !isMapping(value) || Object.keys(value).length > 0;
}
