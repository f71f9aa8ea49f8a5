/**
 * Checks values by schemas: the definitions of Kubernetes and of the Gateway API, and the schema of
 * our chart. It is the only engine for that. It knows the words of JSON Schema that these have,
 * with their meaning in the API: unknown fields are ignored with a note, a null field counts as
 * absent, and lists may have keys. Rules beside the schema are attached to paths.
 */
import { isMapping } from "../model/mapping.ts";
import { both, type Check, type Finding, fine, isAbsent, isRefused, lacking, withHint, wrong } from "./findings.ts";
import * as say from "./sentences.ts";

export interface Schema {
  /** The name of a definition that takes the place of this one. */
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly format?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxProperties?: number;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly "x-kubernetes-int-or-string"?: boolean;
  readonly "x-kubernetes-preserve-unknown-fields"?: boolean;
  readonly "x-kubernetes-list-type"?: string;
  readonly "x-kubernetes-list-map-keys"?: readonly string[];
}

export type Definitions = Readonly<Record<string, Schema>>;

/**
 * Checks by the end of the path, such as `rules[].host` or `Ingress.spec`; `[]` is an item of a
 * list, and `{}` the value of a key.
 */
export type Rules = Readonly<Record<string, Check>>;

export interface Options {
  readonly definitions?: Definitions;
  /** What one of these finds takes the place of what the schema finds. */
  readonly before?: Rules;
  /** These see only values that fit the schema. */
  readonly after?: Rules;
  /** Hints for fields that are missing, by name. */
  readonly hints?: Readonly<Record<string, string>>;
  /**
   * Whether only types, required fields and the lengths of lists are checked. Then a null is a
   * value of a wrong type.
   */
  readonly typesOnly?: boolean;
  /** Ends of the paths of required fields that may be missing all the same. */
  readonly mayLack?: readonly string[];
}

/** Returns the check of a schema. `path` is the name by which rules find it, such as the kind. */
export const checkOf = (schema: Schema, path: string, options: Options): Check =>
  new Compiler(options).check(schema, path);

class Compiler {
  readonly #definitions: Definitions;
  readonly #before: readonly (readonly [string, Check])[];
  readonly #after: readonly (readonly [string, Check])[];
  readonly #hints: Readonly<Record<string, string>>;
  readonly #typesOnly: boolean;
  readonly #mayLack: readonly string[];

  constructor({ definitions = {}, before = {}, after = {}, hints = {}, typesOnly = false, mayLack = [] }: Options) {
    this.#definitions = definitions;
    this.#before = Object.entries(before);
    this.#after = Object.entries(after);
    this.#hints = hints;
    this.#typesOnly = typesOnly;
    this.#mayLack = mayLack;
  }

  check(given: Schema, path: string): Check {
    const shape = this.#shape(this.#resolved(given), path);
    const first = rulesAt(this.#before, path).reduceRight<Check>((next, rule) => instead(rule, next), shape);
    return rulesAt(this.#after, path).reduce<Check>((done, rule) => afterwards(done, rule), first);
  }

  #resolved(schema: Schema): Schema {
    return schema.$ref === undefined ? schema : this.#definitions[schema.$ref]!;
  }

  /** A null counts as absent, so it does not matter that a type permits it. */
  #shape(schema: Schema, path: string): Check {
    const { anyOf, type, properties } = schema;
    if (anyOf !== undefined) return anyOfThese(anyOf.map((one) => this.check(one, path)));
    const types = schema["x-kubernetes-int-or-string"]
      ? ["integer", "string"]
      : [type ?? []].flat().filter((one) => one !== "null");
    if (types.length > 1) return oneOfTypes(types, new Map(types.map((one) => [one, this.#ofType(one, schema, path)])));
    return this.#ofType(types[0] ?? (properties === undefined ? undefined : "object"), schema, path);
  }

  #ofType(type: string | undefined, schema: Schema, path: string): Check {
    if (type === "object") return this.#object(schema, path);
    if (type === "array") return this.#list(schema, path);
    return plain(type, this.#typesOnly ? {} : schema);
  }

  #object(schema: Schema, path: string): Check {
    const { properties, additionalProperties: values, maxProperties: most } = schema;
    const required = (schema.required ?? []).filter((name) => {
      return !this.#mayLack.some((end) => endsWith(`${path}.${name}`, end));
    });
    const fields = new Map<string, Check>();
    const isOpen = properties === undefined || schema["x-kubernetes-preserve-unknown-fields"] === true;
    const others = typeof values === "object" ? this.check(values, `${path}{}`) : isOpen ? anything : undefined;
    const always = properties === undefined ? others : undefined;
    /** Fields are compiled when an object has them. */
    const checkOfField = (name: string): Check | undefined => {
      const own = properties !== undefined && Object.hasOwn(properties, name) ? properties[name] : undefined;
      if (own === undefined) return others;
      const check = this.check(own, `${path}.${name}`);
      fields.set(name, check);
      return check;
    };
    return (object) => {
      if (!isMapping(object)) return wrong([], say.ofWrongType(object, ["object"]));
      let findings = fine;
      for (const name of required) if (isAbsent(object[name])) findings = both(findings, this.#lacking(name));
      for (const name in object) {
        const item = object[name];
        if (item === undefined || (item === null && !this.#typesOnly)) continue;
        const check = always ?? fields.get(name) ?? checkOfField(name);
        const part = check === undefined ? this.#unknownField(name, item, schema, path) : check(item);
        if (part.length > 0) findings = joined(findings, name, part);
      }
      if (most === undefined || this.#typesOnly) return findings;
      const count = Object.keys(object).length;
      return count > most ? both(findings, wrong([], say.ofManyFields(count, most))) : findings;
    };
  }

  #lacking(name: string): readonly Finding[] {
    const { [name]: hint } = this.#hints;
    return lacking(name, hint && `${name} is missing; ${hint}`);
  }

  #unknownField(name: string, value: unknown, { properties = {} }: Schema, path: string): readonly Finding[] {
    if (value === null) return fine;
    if (this.#typesOnly) return [{ path: [], why: "there is no such field", fatal: false, unknown: { value } }];
    const [rule] = rulesAt(this.#before, `${path}.${name}`);
    if (rule !== undefined) return rule(value);
    const holders = Object.keys(properties).filter((one) =>
      Object.hasOwn(this.#resolved(properties[one]!).properties ?? {}, name),
    );
    const why = say.ofUnknownField(name, Object.keys(properties), holders);
    return [{ path: [], why, fatal: false, unknown: { value } }];
  }

  #list(schema: Schema, path: string): Check {
    const { items, minItems: least = 0, maxItems: most = Number.POSITIVE_INFINITY } = schema;
    const item = items === undefined ? anything : this.check(items, `${path}[]`);
    const isDistinct = this.#typesOnly ? undefined : distinct(schema, path);
    return (list) => {
      if (!Array.isArray(list)) return wrong([], say.ofWrongType(list, ["array"]));
      if (list.length < least && !this.#typesOnly) return wrong([], say.ofFewItems(list.length, least));
      let findings = list.length > most ? wrong([], say.ofManyItems(list.length, most)) : fine;
      for (let at = 0; at < list.length; at += 1) {
        const part = item(list[at]);
        if (part.length > 0) findings = joined(findings, at, part);
      }
      return isDistinct === undefined || isRefused(findings) ? findings : both(findings, isDistinct(list));
    };
  }
}

/** Returns the rules of this path; those with the longest end first. */
function rulesAt(rules: readonly (readonly [string, Check])[], path: string): readonly Check[] {
  const fitting = rules.filter(([end]) => endsWith(path, end));
  return fitting.sort(([one], [other]) => other.length - one.length).map(([, check]) => check);
}

/** What the rule finds takes the place of what the other check finds. */
const instead =
  (rule: Check, check: Check): Check =>
  (value) => {
    const findings = rule(value);
    return findings.length > 0 ? findings : check(value);
  };

/** The rule sees only what the check does not refuse. */
const afterwards =
  (check: Check, rule: Check): Check =>
  (value) => {
    const findings = check(value);
    if (findings.length === 0) return rule(value);
    return isRefused(findings) ? findings : both(findings, rule(value));
  };

const endsWith = (path: string, end: string): boolean =>
  path.endsWith(end) && (path.length === end.length || path.at(-end.length - 1) === ".");

const anything: Check = () => fine;

/**
 * Adds the findings of the part to which `step` leads. A list of findings that was made here grows
 * in place, since copies would take quadratic time.
 */
function joined(all: readonly Finding[], step: string | number, part: readonly Finding[]): readonly Finding[] {
  const own = (all === fine ? [] : all) as Finding[];
  for (const one of part) own.push({ ...one, path: [step, ...one.path] });
  return own;
}

const isOf: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: (value) => typeof value === "string",
  integer: Number.isInteger,
  number: (value) => typeof value === "number",
  boolean: (value) => typeof value === "boolean",
  array: Array.isArray,
  object: isMapping,
};

function oneOfTypes(types: readonly string[], checks: ReadonlyMap<string, Check>): Check {
  return (value) => {
    const type = types.find((one) => isOf[one]!(value));
    return type === undefined ? wrong([], say.ofWrongType(value, types)) : checks.get(type)!(value);
  };
}

/** A value that fits none of them gets the findings of the first. */
function anyOfThese(checks: readonly Check[]): Check {
  return (value) => {
    const all = checks.map((check) => check(value));
    return all.find((findings) => !isRefused(findings)) ?? all[0]!;
  };
}

/** Checks a value without parts. */
function plain(type: string | undefined, schema: Schema): Check {
  const words = schema.enum;
  if (type === "string") return ofText(schema);
  if (type === "integer" && words === undefined) return ofWhole(schema);
  return (value) => {
    if (type !== undefined && !isOf[type]!(value)) return wrong([], say.ofWrongType(value, [type]));
    return words === undefined || words.includes(value) ? fine : wrong([], say.ofEnum(value, words));
  };
}

function ofText({ enum: words, pattern: source, minLength: least = 0, maxLength: most }: Schema): Check {
  const pattern = source === undefined ? undefined : new RegExp(source);
  const mistake = (value: string): string | undefined => {
    if (value.length < least) return say.ofShortness(value.length, least);
    if (most !== undefined && value.length > most && [...value].length > most)
      return say.ofLength([...value].length, most);
    if (words !== undefined && !words.includes(value)) return say.ofEnum(value, words);
    return pattern === undefined || pattern.test(value) ? undefined : say.ofPattern(value, source!);
  };
  return (value) => {
    if (typeof value !== "string") return wrong([], say.ofWrongType(value, ["string"]));
    const why = mistake(value);
    return why === undefined ? fine : wrong([], withHint(why, value));
  };
}

/** The bounds of the formats of whole numbers. */
const least = { int32: -(2 ** 31), int64: Number.MIN_SAFE_INTEGER };
const most = { int32: 2 ** 31 - 1, int64: Number.MAX_SAFE_INTEGER };

function ofWhole({ format, minimum, maximum }: Schema): Check {
  const [min, max] = [minimum ?? least[format as "int32"], maximum ?? most[format as "int32"]];
  return (value) => {
    const isWhole = Number.isInteger(value) && !((value as number) < min) && !((value as number) > max);
    return isWhole ? fine : wrong([], say.ofNumber(value, min, max));
  };
}

/** Returns the check that the items of a list have different keys, if they must. */
function distinct(schema: Schema, path: string): Check | undefined {
  const { "x-kubernetes-list-type": type, "x-kubernetes-list-map-keys": keys = [] } = schema;
  if (type !== "set" && type !== "map") return undefined;
  const name = type === "set" ? path.slice(path.lastIndexOf(".") + 1) : keys.join(" and ");
  const keyOf = (item: unknown) => {
    if (type === "set") return typeof item === "string" ? JSON.stringify(item) : String(item);
    return keys.map((key) => (item as Readonly<Record<string, unknown>>)[key] ?? "").join(" ");
  };
  return distinctBy(keyOf, (key) => (type === "set" ? `${key} is given twice` : say.ofDouble(name, key)));
}

/** Checks a list whose items must differ in the result of `keyOf`. */
export function distinctBy<T>(keyOf: (item: T) => string | undefined, why: (key: string) => string): Check {
  return (value) => {
    const list = value as readonly T[];
    if (list.length < 2) return fine;
    const seen = new Set<string>();
    let findings = fine;
    for (const [at, item] of list.entries()) {
      const key = keyOf(item);
      if (key === undefined) continue;
      if (seen.has(key)) findings = both(findings, wrong([at], why(key)));
      seen.add(key);
    }
    return findings;
  };
}
