/**
 * What becomes of an object between the wire and the cache: `managedFields` go (often half of its bytes), the user's transform
 * drops what nobody reads, and what is left is frozen, because every listener gets the same object.
 */
import type { KubernetesObject } from "../model/objects.ts";

/** Gives the object with less in it, or the object itself. It gets an object that is its own to change. */
export type Transform<T> = (object: T) => T;

export function takeIn<T extends KubernetesObject>(object: T, transform: Transform<T> | undefined): T {
  delete (object.metadata as { managedFields?: unknown }).managedFields;
  return freeze(transform ? transform(object) : object);
}

/** Freezes JSON all the way down and gives it back. */
export function freeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  for (const inner of Object.values(value)) freeze(inner);
  return Object.freeze(value);
}
