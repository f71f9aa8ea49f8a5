/**
 * Checks the types of the fields of an object. The API server does this by the definitions of the
 * Gateway API, but these may be older than Sluice, or newer, or have no schema.
 */
import { isMapping } from "../../../model/mapping.ts";

/** A value of another type than its field has. */
export interface Mistyped {
  /** The field, such as `spec.listeners[0].port`. */
  readonly field: string;
  readonly why: string;
}

/** Returns the first mistake in the value of a field; undefined if there is none. */
export type Shape = (value: unknown, field: string) => Mistyped | undefined;

export const text: Shape = (value, field) => (typeof value === "string" ? undefined : not(value, field, "a text"));
export const whole: Shape = (value, field) =>
  Number.isInteger(value) ? undefined : not(value, field, "a whole number");
export const boolean: Shape = (value, field) =>
  typeof value === "boolean" ? undefined : not(value, field, "true or false");

/** Checks a list of at most `most` items. */
export function listOf(shape: Shape, most = Number.POSITIVE_INFINITY): Shape {
  const list: Shape = (value, field) => {
    if (!Array.isArray(value)) return not(value, field, "a list");
    if (value.length > most) return { field, why: `has ${value.length} items, and ${most} are the most` };
    for (const [at, item] of value.entries()) {
      const wrong = shape(item, `${field}[${at}]`);
      if (wrong !== undefined) return wrong;
    }
    return undefined;
  };
  insides.set(list, { item: shape });
  return list;
}

/** Makes the second check of values that the first one accepts. */
export function both(first: Shape, second: Shape): Shape {
  const shape: Shape = (value, field) => first(value, field) ?? second(value, field);
  const inside = insides.get(first);
  if (inside !== undefined) insides.set(shape, inside);
  return shape;
}

/** Accepts a value of any type. */
export const anything: Shape = () => undefined;

/** Checks a mapping from names to texts. */
export const texts: Shape = (value, field) => {
  if (!isMapping(value)) return not(value, field, "a mapping");
  const name = Object.keys(value).find((one) => typeof value[one] !== "string");
  return name === undefined ? undefined : not(value[name], `${field}[${JSON.stringify(name)}]`, "a text");
};

/** Checks a mapping. Fields that are not in `fields` may have any type. */
export function record(fields: Readonly<Record<string, Shape>>, required: readonly string[] = []): Shape {
  const all = Object.entries(fields);
  const shape: Shape = (value, field) => {
    if (!isMapping(value)) return not(value, field, "a mapping");
    const missing = required.find((name) => value[name] === undefined);
    if (missing !== undefined) return { field: `${field}.${missing}`, why: "is missing" };
    for (const [name, shape] of all) {
      const item = value[name];
      const wrong = item === undefined ? undefined : shape(item, `${field}.${name}`);
      if (wrong !== undefined) return wrong;
    }
    return undefined;
  };
  insides.set(shape, { fields: new Map(all) });
  return shape;
}

/** Accepts a mapping that may have any other fields, too. Only these have a shape. */
export function some(fields: Readonly<Record<string, Shape>>): Shape {
  const shape: Shape = () => undefined;
  insides.set(shape, { fields: new Map(Object.entries(fields)), isOpen: true });
  return shape;
}

/** The fields of a mapping, or the shape of the items of a list. */
interface Inside {
  readonly fields?: ReadonlyMap<string, Shape>;
  /** Whether it may have other fields. */
  readonly isOpen?: true;
  readonly item?: Shape;
}

const insides = new WeakMap<Shape, Inside>();

/**
 * Returns the fields of a value that its shape does not have. Each has its names and positions from
 * the object on, and its value. A null field counts as absent, as in the API.
 */
export function strangeFields(shape: Shape, value: unknown): readonly StrangeField[] {
  const found: StrangeField[] = [];
  walk(shape, value, [], found);
  return found;
}

export interface StrangeField {
  readonly path: readonly (string | number)[];
  readonly value: unknown;
}

function walk(shape: Shape, value: unknown, path: StrangeField["path"], found: StrangeField[]): void {
  const { fields, item, isOpen = false } = insides.get(shape) ?? {};
  if (item !== undefined && Array.isArray(value)) {
    for (const [at, one] of value.entries()) walk(item, one, [...path, at], found);
  }
  if (fields === undefined || !isMapping(value)) return;
  for (const name of Object.keys(value)) {
    const { [name]: inner } = value;
    if (inner === null || inner === undefined) continue;
    const known = fields.get(name);
    if (known === undefined) {
      if (!isOpen) found.push({ path: [...path, name], value: inner });
    } else if (insides.has(known)) walk(known, inner, [...path, name], found);
  }
}

function not(value: unknown, field: string, wanted: string): Mistyped {
  return { field, why: `${called(value)} is given where ${wanted} is required` };
}

function called(value: unknown): string {
  if (value === null) return "null";
  if (typeof value === "string") return "a text";
  if (typeof value === "object") return Array.isArray(value) ? "a list" : "a mapping";
  return String(value);
}
