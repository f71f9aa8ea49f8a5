/**
 * Small checks from which the rules for each kind of object are built. A check reports what is
 * wrong and where. It repeats only switches and numbers, because the same checks read Secrets. A
 * mistake that the API server would refuse is fatal for the object; an unknown field is only
 * ignored, because a newer server may know it.
 */
import { didYouMean } from "../../base/did-you-mean.ts";
import { hasGuardName } from "../../core/kinds/gateway/guard-fields.ts";
import { unfilled } from "../../core/kinds/kind.ts";
import { nearest } from "../../core/kinds/nearest.ts";
import { isMapping } from "../../core/model/mapping.ts";

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
  /** Present if there is no such field: whether its value has the name of a guard inside. */
  readonly unknown?: { readonly hasGuard: boolean };
}

export type Check = (value: unknown) => readonly Finding[];

/** Returns the mistake in a text, as the end of the sentence "<field>: …", or undefined. */
export type Rule = (text: string) => string | undefined;

export const wrong = (path: Path, why: string): readonly Finding[] => [{ path, why, fatal: true }];

/** Returns the mistake that a required field is missing. */
export const lacking = (field: string, why = `${field} is missing`): readonly Finding[] => [
  { path: [], why, fatal: true, lacks: field },
];
export const fine: readonly Finding[] = [];

/**
 * Returns the findings of a part as those of the whole, in which `step` leads to the part. Paths
 * are only made for mistakes, because thousands of objects without one are read at a start.
 */
export const under = (step: string | number, findings: readonly Finding[]): readonly Finding[] =>
  findings.length === 0 ? fine : findings.map((one) => ({ ...one, path: [step, ...one.path] }));

export const anything: Check = () => fine;

export function text(...rules: readonly Rule[]): Check {
  return (value) => {
    if (typeof value !== "string") {
      const advice = typeof value === "object" ? "" : "; write it in quotes";
      return wrong([], `${found(value)} is given where text is required${advice}`);
    }
    let findings = fine;
    for (const rule of rules) {
      const why = rule(value);
      if (why !== undefined) findings = both(findings, wrong([], withHint(why, value)));
    }
    return findings;
  };
}

/** Adds that a tool should have filled in the text, unless the rule says so itself. */
function withHint(why: string, value: string): string {
  const hint = unfilled(value);
  return hint === undefined || why.includes(hint) ? why : `${why}; ${hint}`;
}

export function word(...words: readonly string[]): Check {
  return text((value) =>
    words.includes(value) ? undefined : `${JSON.stringify(value)} is not one of ${words.join(", ")}`,
  );
}

export function whole(min: number, max: number): Check {
  return (value) => {
    if (typeof value === "number" && Number.isInteger(value) && value >= min && value <= max) return fine;
    if (typeof value === "string" && /^\d+$/.test(value))
      return wrong([], `"${value}" is text because of its quotes; write the number without them`);
    const what = typeof value === "number" ? String(value) : found(value);
    return wrong([], `${what} is not a whole number from ${min} to ${max}`);
  };
}

export const port = whole(1, 65_535);

export const boolean: Check = (value) =>
  typeof value === "boolean" ? fine : wrong([], `${found(value)} is given where true or false is required`);

export function listOf(check: Check, min = 0): Check {
  return (value) => {
    if (!Array.isArray(value)) return wrong([], `${found(value)} is given where a list is required`);
    if (value.length < min) return wrong([], "the list is empty");
    let findings = fine;
    for (let at = 0; at < value.length; at += 1) findings = both(findings, under(at, check(value[at])));
    return findings;
  };
}

/** Checks a mapping whose keys are data, such as labels. */
export function mapOf(key: Rule, check: Check): Check {
  return (value) => {
    if (!isMapping(value)) return wrong([], `${found(value)} is given where a mapping is required`);
    let findings = fine;
    for (const name in value) {
      const why = key(name);
      if (why !== undefined) findings = both(findings, wrong([name], why));
      findings = both(findings, under(name, check(value[name])));
    }
    return findings;
  };
}

/**
 * Checks a mapping with named fields. A field whose value is null counts as absent, as in the API.
 */
export function record(
  fields: Readonly<Record<string, Check>>,
  required: readonly string[] = [],
  ...more: Check[]
): Check {
  const known = new Map(Object.entries(fields));
  const check: Check = (value) => {
    if (!isMapping(value)) return wrong([], `${found(value)} is given where a mapping is required`);
    let findings = fine;
    for (const name of required) if (isAbsent(value[name])) findings = both(findings, lacking(name));
    for (const name in value) {
      const item = value[name];
      if (isAbsent(item)) continue;
      const field = known.get(name);
      findings = both(findings, field === undefined ? unknownField(name, item, fields) : under(name, field(item)));
    }
    if (isRefused(findings)) return findings;
    for (const one of more) findings = both(findings, one(value));
    return findings;
  };
  fieldsOf.set(check, fields);
  return check;
}

/** The fields of each record, which tell where a field belongs that stands one level too high. */
const fieldsOf = new WeakMap<Check, Readonly<Record<string, Check>>>();

/**
 * Joins two lists of findings. Almost all values are fine, and thousands are read at a start, so
 * nothing is copied then.
 */
export function both(some: readonly Finding[], others: readonly Finding[]): readonly Finding[] {
  if (others.length === 0) return some;
  return some.length === 0 ? others : [...some, ...others];
}

export const isRefused = (findings: readonly Finding[]): boolean => findings.some(({ fatal }) => fatal);

function isAbsent(value: unknown): boolean {
  return value === null || value === undefined;
}

function unknownField(name: string, value: unknown, fields: Readonly<Record<string, Check>>): readonly Finding[] {
  const why = whyUnknown(name, fields);
  return [{ path: [name], why, fatal: false, unknown: { hasGuard: hasGuardName(value) } }];
}

function whyUnknown(name: string, fields: Readonly<Record<string, Check>>): string {
  if (name.includes("/")) return strayAnnotation;
  if (name === "annotations" || name === "labels") return `there is no such field; ${name} belong below metadata`;
  if (name === "sops" && Object.hasOwn(fields, "metadata"))
    return "sops has encrypted the object; decrypt the file before it is read";
  const having = Object.keys(fields).filter((one) => Object.hasOwn(fieldsOf.get(fields[one]!) ?? {}, name));
  if (having.length === 1) return `there is no such field; ${name} belongs below ${having[0]}`;
  return `there is no such field${didYouMean(nearest(name, Object.keys(fields)))}`;
}

const strayAnnotation = "there is no such field; an annotation belongs below metadata.annotations";

function found(value: unknown): string {
  if (value === null || value === undefined) return "nothing";
  if (typeof value === "boolean") return String(value);
  if (typeof value === "number") return "a number";
  if (typeof value === "string") return "text";
  return Array.isArray(value) ? "a list" : "a mapping";
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
