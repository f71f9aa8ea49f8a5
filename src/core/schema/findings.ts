/**
 * What a check finds in a value: what is wrong, and where. A finding repeats only switches, numbers
 * and words that are not secret, because the same checks read Secrets. A mistake for which the API
 * server would refuse an object is fatal for it; an unknown field is not, because a newer server
 * may know it.
 */
import { unfilled } from "../kinds/kind.ts";

export type Path = readonly (string | number)[];

export interface Finding {
  /** The path of the mistake below the value that was checked. */
  readonly path: Path;
  /** Completes the sentence "<field>: …". */
  readonly why: string;
  /** Whether the API server would refuse the object because of it. */
  readonly fatal: boolean;
  /** The required field that is missing there. */
  readonly lacks?: string;
  /** Present if there is no such field: its value. */
  readonly unknown?: { readonly value: unknown };
}

export type Check = (value: unknown) => readonly Finding[];

/** Returns the mistake in a text, as the end of the sentence "<field>: …", or undefined. */
export type Rule = (text: string) => string | undefined;

export const fine: readonly Finding[] = [];

export const wrong = (path: Path, why: string): readonly Finding[] => [{ path, why, fatal: true }];

/** Returns the mistake that a required field is missing. */
export const lacking = (field: string, why = `${field} is missing`): readonly Finding[] => [
  { path: [], why, fatal: true, lacks: field },
];

/**
 * Returns the findings of a part as those of the whole, in which `step` leads to the part. Paths
 * are only made for mistakes, because thousands of objects without one are read at a start.
 */
export const under = (step: string | number, findings: readonly Finding[]): readonly Finding[] =>
  findings.length === 0 ? fine : findings.map((one) => ({ ...one, path: [step, ...one.path] }));

/**
 * Joins two lists of findings. Almost all values are fine, and thousands are read at a start, so
 * nothing is copied then.
 */
export function both(some: readonly Finding[], others: readonly Finding[]): readonly Finding[] {
  if (others.length === 0) return some;
  return some.length === 0 ? others : [...some, ...others];
}

export const isRefused = (findings: readonly Finding[]): boolean => findings.some(({ fatal }) => fatal);

export const isAbsent = (value: unknown): value is null | undefined => value === null || value === undefined;

/** Checks texts by rules. The schema says whether there must be a text. */
export function text(...rules: readonly Rule[]): Check {
  return (value) => {
    if (typeof value !== "string") return fine;
    let findings = fine;
    for (const rule of rules) {
      const why = rule(value);
      if (why !== undefined) findings = both(findings, wrong([], withHint(why, value)));
    }
    return findings;
  };
}

/** Adds that a tool should have filled in the text, unless the rule says so itself. */
export function withHint(why: string, value: string): string {
  const hint = unfilled(value);
  return hint === undefined || why.includes(hint) ? why : `${why}; ${hint}`;
}

/** Returns, for example, `spec.rules[0].host`. A key with dots in it stands in brackets. */
export function fieldOf(path: Path): string {
  return path.reduce<string>((text, step) => {
    if (typeof step === "number") return `${text}[${step}]`;
    if (!/^[\w-]+$/.test(step)) return `${text}[${JSON.stringify(step)}]`;
    return text === "" ? step : `${text}.${step}`;
  }, "");
}

/** Returns the path of a field from its text. */
export function pathOf(field: string): Path {
  return [...field.matchAll(/\[(\d+)\]|\["((?:[^"\\]|\\.)*)"\]|([^.[\]]+)/g)].map(([, index, quoted, name]) => {
    if (index !== undefined) return Number(index);
    return quoted === undefined ? name! : (JSON.parse(`"${quoted}"`) as string);
  });
}
