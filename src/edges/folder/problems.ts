/**
 * Makes Problems of mistakes in files: with file, line, object and field, and what was done about
 * it.
 */
import { keyOfName, objectKey } from "../../core/model/objects.ts";
import type { ObjectName, Problem } from "../../core/model/problem.ts";
import type { Double, FileState, Held } from "./file-state.ts";
import type { Fault } from "./manifest.ts";
import type { Place } from "./place.ts";

export function faultProblem(
  file: string,
  { object, place, field, why, fatal, closes, frame }: Fault,
  state: FileState,
): Problem {
  return {
    kind: "manifest-unusable",
    object: object ?? { kind: "File", name: file },
    at: { file, ...place },
    field,
    why,
    done: fatal ? consequence(object, state) : closes ? closed : "it is ignored",
    fatal,
    ...(frame !== undefined && { frame }),
  };
}

const closed = "it may be a guard, so what it stands on is closed";

function consequence(object: ObjectName | undefined, { objects }: FileState): string {
  if (object === undefined) return objects.size > 0 ? "what it held before stays in force" : "it is ignored";
  return objects.has(objectKey(object.kind, keyOfName(object)))
    ? "its last good version stays in force"
    : "it is not applied";
}

/**
 * Returns the Problem of an object that is defined at two places. `isEqual` says whether both
 * definitions are equal.
 */
export function takenProblem(
  file: string,
  { object: { kind, metadata } }: Held,
  { place, isEqual }: Double,
  owner: { readonly file: string; readonly place: Place },
): Problem {
  const { name, namespace } = metadata;
  return {
    kind: "manifest-unusable",
    object: { kind, name, ...(namespace === undefined ? {} : { namespace }) },
    at: { file, ...place },
    field: "",
    why: `${owner.file} defines it already, in line ${owner.place.line}${isEqual ? ", and equally" : ""}`,
    done: "this one is ignored",
    fatal: true,
    ...(isEqual && { isEqual: true as const }),
  };
}
