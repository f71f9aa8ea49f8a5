/**
 * What was read before, for who reads much the same twice, such as the folder before a change and
 * the folder after it: a document with the same text is the same value, and the same value is not
 * checked again. A single reading takes a new one, and drops it.
 */
import { type WrittenObject, writtenObject } from "./object.ts";

export class Memory {
  readonly #documents = new Map<string, readonly unknown[]>();
  readonly #objects = new WeakMap<object, WrittenObject>();

  /** The values in a document, by its text; what `read` throws is thrown. */
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
