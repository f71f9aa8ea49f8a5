/**
 * Shares a limit among the objects of one kind in each namespace: the oldest ones get what they
 * need, and one that does not fit any more is refused as a whole.
 */
import { type Age, byAge } from "./age.ts";

/** The need of one object. */
export interface Wish {
  readonly age: Age;
  readonly bytes: number;
  /** Objects with the same id need the bytes only once. */
  readonly id?: string;
}

export class NamespaceBudget<W extends Wish = Wish> {
  /** Objects that need anything, by namespace and then by `namespace/name`. */
  readonly #wishes = new Map<string, Map<string, W>>();
  readonly #touched = new Set<string>();
  readonly #refused = new Map<string, W>();
  #most = 0;

  /** Notes the need of an object. Undefined means that it is gone. */
  set(key: string, wish: W | undefined): void {
    const namespace = key.slice(0, key.indexOf("/"));
    const all = this.#wishes.get(namespace);
    if (wish === undefined || wish.bytes === 0) {
      if (all?.delete(key) !== true) return;
      if (all.size === 0) this.#wishes.delete(namespace);
    } else this.#wishes.set(namespace, (all ?? new Map()).set(key, wish));
    this.#touched.add(namespace);
  }

  /** Decides again, with a limit of `most` bytes. Returns the objects about which it differs. */
  settle(most: number): readonly string[] {
    const namespaces = most === this.#most ? this.#touched : [...this.#wishes.keys(), ...this.#touched];
    this.#most = most;
    const changed: string[] = [];
    for (const namespace of new Set(namespaces)) {
      const refused = this.#refusedIn(namespace);
      const before = [...this.#refused.keys()].filter((key) => key.startsWith(`${namespace}/`));
      changed.push(...before.filter((key) => !refused.has(key)));
      changed.push(...[...refused.keys()].filter((key) => !this.#refused.has(key)));
      for (const key of before) this.#refused.delete(key);
      for (const [key, wish] of refused) this.#refused.set(key, wish);
    }
    this.#touched.clear();
    return changed;
  }

  /** Returns what a refused object would need; undefined if it is not refused. */
  refused(key: string): W | undefined {
    return this.#refused.get(key);
  }

  #refusedIn(namespace: string): ReadonlyMap<string, W> {
    const oldestFirst = [...(this.#wishes.get(namespace) ?? [])].sort(([, one], [, other]) =>
      byAge(one.age, other.age),
    );
    const refused = new Map<string, W>();
    const had = new Set<string>();
    let sum = 0;
    for (const [key, wish] of oldestFirst) {
      if (wish.id !== undefined && had.has(wish.id)) continue;
      if (sum + wish.bytes > this.#most) {
        refused.set(key, wish);
        continue;
      }
      sum += wish.bytes;
      if (wish.id !== undefined) had.add(wish.id);
    }
    return refused;
  }
}
