/**
 * Stores objects by key, and by the values of named indices ("by Secret": every Ingress that names
 * it). An index function returns the values under which an object is found. It must depend on the
 * object alone, because it is called again when the object is removed, to find its entries.
 */
import { type KubernetesObject, keyOf } from "./object.ts";

export type IndexFunction<T> = (object: T) => readonly string[];

/** The part of an Indexer that listeners and users of an informer see. */
export interface Lister<T> {
  readonly size: number;
  get(key: string): T | undefined;
  /** Returns all objects, in no particular order. */
  list(): readonly T[];
  /** Throws when no index has that name. */
  byIndex(index: string, value: string): readonly T[];
}

export class Indexer<T extends KubernetesObject> implements Lister<T> {
  readonly #objects = new Map<string, T>();
  readonly #functions: ReadonlyMap<string, IndexFunction<T>>;
  /** Keys of objects, by the name of the index and then by the value. */
  readonly #places = new Map<string, Map<string, Set<string>>>();

  constructor(indices: Readonly<Record<string, IndexFunction<T>>> = {}) {
    this.#functions = new Map(Object.entries(indices));
    for (const name of this.#functions.keys()) this.#places.set(name, new Map());
  }

  get size(): number {
    return this.#objects.size;
  }

  get(key: string): T | undefined {
    return this.#objects.get(key);
  }

  list(): readonly T[] {
    return [...this.#objects.values()];
  }

  byIndex(index: string, value: string): readonly T[] {
    const places = this.#places.get(index);
    if (places === undefined) throw new Error(`there is no index ${index}`);
    return [...(places.get(value) ?? [])].map((key) => this.#objects.get(key) as T);
  }

  /** Adds the object and returns the one that it replaces. */
  put(object: T): T | undefined {
    const key = keyOf(object);
    const before = this.delete(key);
    this.#objects.set(key, object);
    for (const [places, value] of this.#placesOf(object)) {
      const keys = places.get(value);
      if (keys) keys.add(key);
      else places.set(value, new Set([key]));
    }
    return before;
  }

  /** Removes the object and returns it. */
  delete(key: string): T | undefined {
    const object = this.#objects.get(key);
    if (object === undefined) return undefined;
    this.#objects.delete(key);
    for (const [places, value] of this.#placesOf(object)) {
      const keys = places.get(value);
      keys?.delete(key);
      if (keys?.size === 0) places.delete(value);
    }
    return object;
  }

  *#placesOf(object: T): Iterable<readonly [Map<string, Set<string>>, string]> {
    for (const [name, valuesOf] of this.#functions) {
      const places = this.#places.get(name) as Map<string, Set<string>>;
      for (const value of valuesOf(object)) yield [places, value];
    }
  }
}
