/**
 * Shares a limit among the routes of each namespace: the oldest routes get what they need, and a
 * route that does not fit any more is refused as a whole. Routes that need no more than ordinary
 * ones are never refused.
 */
import { type Age, byAge } from "../../age.ts";
import type { Product } from "./product.ts";

interface Wish {
  readonly age: Age;
  readonly product: Product;
}

export class NamespaceBudget {
  /** Routes with a surplus, by namespace and then by `namespace/name`. */
  readonly #wishes = new Map<string, Map<string, Wish>>();
  readonly #touched = new Set<string>();
  #refused = new Map<string, Product>();
  #most = 0;

  /** Notes what a route needs. Undefined means that it is gone. */
  set(key: string, wish: Wish | undefined): void {
    const namespace = key.slice(0, key.indexOf("/"));
    const all = this.#wishes.get(namespace);
    if (wish === undefined || wish.product.surplus === 0) {
      if (all?.delete(key) !== true) return;
      if (all.size === 0) this.#wishes.delete(namespace);
    } else this.#wishes.set(namespace, (all ?? new Map()).set(key, wish));
    this.#touched.add(namespace);
  }

  /** Decides again, with a limit of `most` bytes. Returns the routes about which it differs. */
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
      for (const [key, product] of refused) this.#refused.set(key, product);
    }
    this.#touched.clear();
    return changed;
  }

  /** Returns what a refused route would need; undefined if it is not refused. */
  refused(key: string): Product | undefined {
    return this.#refused.get(key);
  }

  #refusedIn(namespace: string): ReadonlyMap<string, Product> {
    const oldestFirst = [...(this.#wishes.get(namespace) ?? [])].sort(([, one], [, other]) =>
      byAge(one.age, other.age),
    );
    const refused = new Map<string, Product>();
    let sum = 0;
    for (const [key, { product }] of oldestFirst) {
      if (sum + product.surplus > this.#most) refused.set(key, product);
      else sum += product.surplus;
    }
    return refused;
  }
}
