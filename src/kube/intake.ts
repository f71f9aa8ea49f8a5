/**
 * Prepares an object from the wire for the cache. `managedFields` are dropped (often half of its
 * bytes), the user's transform drops unused parts, and the rest is frozen, because every listener
 * gets the same object. Fields are left out by building a new object: `delete` would turn the
 * object into a hash table, which takes half as much memory again (measured: 40,000 objects in 56
 * MB instead of 38).
 */
import type { KubernetesObject } from "./object.ts";
import type { Resource } from "./resource.ts";

/**
 * Returns the object with fewer fields, or the object itself. No other code uses the object yet, so
 * the transform may change it.
 */
export type Transform<T> = (object: T) => T;

/**
 * Returns the object as it is kept. `apiVersion` and `kind` become those of the resource, one text
 * for all objects: parsing gives each object texts of its own.
 */
export function takeIn<T extends KubernetesObject>(
  { apiVersion, kind }: Resource<T>,
  object: T,
  transform: Transform<T> | undefined,
): T {
  const { managedFields, ...metadata } = object.metadata as T["metadata"] & { readonly managedFields?: unknown };
  const lean = { ...object, apiVersion, kind, metadata };
  return freeze(transform ? transform(lean) : lean);
}

/** Freezes JSON with all its parts and returns it. */
export function freeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  if (Array.isArray(value)) for (const inner of value) freeze(inner);
  else for (const key in value) freeze(value[key]);
  return Object.freeze(value);
}
