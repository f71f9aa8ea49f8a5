/**
 * Checks the content of values by charts/sluice/values.schema.json, as helm does before it installs
 * the chart. Only the words of JSON Schema that this file has are known; a test lists them.
 */
import { readFileSync } from "node:fs";
import { shipped } from "../../../base/shipped.ts";
import { shown } from "../../../core/kinds/kind.ts";
import { isMapping } from "../../../core/model/mapping.ts";
import type { Path } from "../../../edges/folder/check.ts";
import { placeholderIn } from "../../../tools/variables.ts";

interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxProperties?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  /** The shape of a value, and an empty list or mapping in its place. */
  readonly anyOf?: readonly [Schema, Schema];
}

export interface Misfit {
  readonly path: Path;
  /** `refused`: the chart does not install. `unfilled`: a tool puts in the value before. */
  readonly fate: "refused" | "unfilled";
  readonly why: string;
}

let read: Schema | undefined;

export function misfits(values: unknown): readonly Misfit[] {
  read ??= JSON.parse(readFileSync(shipped("charts/sluice/values.schema.json"), "utf8")) as Schema;
  return misfitsIn(values, read, []);
}

function misfitsIn(value: unknown, schema: Schema, path: Path): readonly Misfit[] {
  // Helm takes a null for a value that is left out.
  if (value === null || value === undefined) return [];
  if (schema.anyOf !== undefined) return isEmpty(value) ? [] : misfitsIn(value, schema.anyOf[0], path);
  const why = mistakeIn(value, schema);
  if (why !== undefined) return [{ path, ...judged(value, why) }];
  if (Array.isArray(value))
    return value.flatMap((item, at) => (schema.items ? misfitsIn(item, schema.items, [...path, at]) : []));
  if (!isMapping(value)) return [];
  const { properties = {}, additionalProperties: others } = schema;
  return Object.entries(value).flatMap(([key, inner]) => {
    const below = Object.hasOwn(properties, key) ? properties[key] : typeof others === "object" ? others : undefined;
    return below === undefined ? [] : misfitsIn(inner, below, [...path, key]);
  });
}

const isEmpty = (value: unknown): boolean =>
  Array.isArray(value) ? value.length === 0 : isMapping(value) && Object.keys(value).length === 0;

/** Completes a sentence about a value that the chart refuses. */
function mistakeIn(value: unknown, schema: Schema): string | undefined {
  const { type, enum: words, pattern, minimum, maximum, maxProperties } = schema;
  const types = typeof type === "string" ? [type] : (type ?? []);
  if (types.length > 0 && !types.some((one) => isOf(value, one)))
    return `it takes ${types.flatMap((one) => typeNames[one] ?? []).join(" or ")}`;
  if (words !== undefined && !words.includes(value))
    return `it takes ${words.filter((one) => one !== null && one !== "").join(", ")}`;
  if (typeof value === "string" && pattern !== undefined && !new RegExp(pattern, "u").test(value))
    return `it has to match ${pattern}`;
  if (typeof value === "number" && minimum !== undefined && value < minimum) return `the least is ${minimum}`;
  if (typeof value === "number" && maximum !== undefined && value > maximum) return `the most is ${maximum}`;
  if (isMapping(value) && maxProperties !== undefined && Object.keys(value).length > maxProperties)
    return `it takes ${maxProperties} keys at most`;
  return undefined;
}

const typeNames: Readonly<Record<string, string>> = {
  string: "text",
  integer: "a whole number",
  number: "a number",
  boolean: "true or false",
  array: "a list",
  object: "a mapping",
};

function isOf(value: unknown, type: string): boolean {
  if (type === "integer") return Number.isInteger(value);
  if (type === "array") return Array.isArray(value);
  return type === "object" ? isMapping(value) : typeof value === type;
}

function judged(value: unknown, why: string): Pick<Misfit, "fate" | "why"> {
  const mark = inBraces(value);
  if (mark !== undefined) return { fate: "unfilled", why: `${mark} is a placeholder that nothing has filled in` };
  if (typeof value === "string") {
    const hint = placeholderIn(value);
    if (hint !== undefined) return { fate: "unfilled", why: `${shown(value)}: ${hint}` };
  }
  const found = typeof value === "object" ? (Array.isArray(value) ? "a list" : "a mapping") : shown(String(value));
  return { fate: "refused", why: `the chart refuses ${found}: ${why}` };
}

/** Returns `{NAME}`, which is a mapping in YAML, if it stands where only a plain value can. */
function inBraces(value: unknown): string | undefined {
  const [only, more] = isMapping(value) ? Object.entries(value) : [];
  return only !== undefined && more === undefined && (only[1] ?? "") === "" ? `{${only[0]}}` : undefined;
}
