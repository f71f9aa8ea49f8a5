/**
 * Parts that the report does not judge, with the reason. Without them an unreadable file would look
 * like one without mistakes.
 */
import type { Problem } from "../../core/model/problem.ts";
import { type FilePlace, named } from "../../core/model/problem.ts";

export interface Unjudged {
  /** `Ingress shop/web`, or the file. */
  readonly of: string;
  readonly namespace?: string;
  readonly at?: FilePlace;
  readonly why: string;
}

/**
 * Returns the mistakes in files that cause an omission. Neither an ignored field nor a second,
 * equal definition of an object leaves anything out.
 */
export function unjudgedIn(problems: Iterable<Problem>): Unjudged[] {
  return [...problems].flatMap((problem): Unjudged[] => {
    if (problem.kind !== "manifest-unusable" || (!problem.fatal && problem.field !== "")) return [];
    if (problem.isEqual === true) return [];
    const { object, at, field, why } = problem;
    const of = object.kind === "File" ? object.name : named(object);
    const { namespace } = object;
    return [{ of, ...(namespace !== undefined && { namespace }), at, why: field === "" ? why : `${field}: ${why}` }];
  });
}

/** Returns ConfigMaps that look like the one with the settings, and are not read. */
export function unjudgedSettings(
  problems: readonly (Problem & { readonly why: string })[],
  place: (problem: Problem) => FilePlace | undefined,
): Unjudged[] {
  return problems.map((problem) => {
    const at = place(problem);
    return { of: named(problem.object), ...(at !== undefined && { at }), why: problem.why };
  });
}
