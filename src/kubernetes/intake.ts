/**
 * The way of an object from the wire to the cache: `managedFields` go (often half of its bytes),
 * the user's transform drops unused parts, and what is left is frozen, because every listener gets
 * the same object. Fields are left out by building the object without them: `delete` would turn it
 * into a hash table, which takes half as much again (measured: 40,000 objects in 56 MB instead of
 * 38).
 */
import type { KubernetesObject } from "../model/objects.ts";
import type { Resource } from "./resource.ts";

/**
 * Gives the object with less in it, or the object itself. It gets an object that is its own to
 * change.
 */
export type Transform<T> = (object: T) => T;

/**
 * `apiVersion` and `kind` become those of the resource, one text for all objects: parsing gives
 * each object texts of its own.
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

/** Freezes JSON all the way down and gives it back. */
export function freeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  if (Array.isArray(value)) for (const inner of value) freeze(inner);
  else for (const key in value) freeze(value[key]);
  return Object.freeze(value);
}
