/**
 * Gives objects without a creationTimestamp one: the moment at which they were first seen.
 * Precedence between Ingresses depends on age, so no two objects get the same moment, and an object
 * keeps its own through every edit.
 */
import type { KubernetesObject } from "../../core/model/objects.ts";

export class Ages {
  readonly #now: () => Date;
  readonly #seen = new Map<string, string>();
  readonly #made = new WeakMap<KubernetesObject, KubernetesObject>();
  #last = 0;

  constructor(now: () => Date) {
    this.#now = now;
  }

  /** Returns `object` with a creationTimestamp: the same value for the same object. */
  aged(id: string, object: KubernetesObject): KubernetesObject {
    if (object.metadata.creationTimestamp !== undefined) return object;
    let aged = this.#made.get(object);
    if (aged === undefined) {
      const creationTimestamp = this.#seen.get(id) ?? this.#next();
      this.#seen.set(id, creationTimestamp);
      aged = { ...object, metadata: { ...object.metadata, creationTimestamp } };
      this.#made.set(object, aged);
    }
    return aged;
  }

  forget(id: string): void {
    this.#seen.delete(id);
  }

  /**
   * Returns a moment later than all before, in microseconds, in a form whose alphabetical order is
   * the order in time.
   */
  #next(): string {
    this.#last = Math.max(this.#last + 1, this.#now().getTime() * 1000);
    const seconds = new Date(Math.floor(this.#last / 1_000_000) * 1000).toISOString().slice(0, 19);
    return `${seconds}.${String(this.#last % 1_000_000).padStart(6, "0")}Z`;
  }
}
