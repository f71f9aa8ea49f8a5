/**
 * A cache for callers that read similar folders twice, such as the folder before and after a
 * change. A document with the same text is the same value and is not checked again. A single read
 * uses a new cache and drops it.
 */
import { type WrittenObject, writtenObject } from "./object.ts";

export class Memory {
  readonly #documents = new Map<string, readonly unknown[]>();
  readonly #objects = new WeakMap<object, WrittenObject>();

  /** Returns the values of a document by its text. An error of `read` is passed on. */
  valuesIn(text: string, read: (text: string) => readonly unknown[]): readonly unknown[] {
    const known = this.#documents.get(text) ?? read(text);
    this.#documents.set(text, known);
    return known;
  }

  objectOf(value: unknown): WrittenObject {
    if (typeof value !== "object" || value === null) return writtenObject(value);
    const known = this.#objects.get(value) ?? writtenObject(value);
    this.#objects.set(value, known);
    return known;
  }
}
