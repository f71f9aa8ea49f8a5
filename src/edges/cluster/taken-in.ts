/**
 * Decides how much of an object is kept in memory: its content, or only its name if the content
 * is not needed or Sluice fails on it.
 */
import { bugWords, guarded } from "../../base/guarded.ts";
import { type KubernetesObject, keyOf } from "../../core/model/objects.ts";
import { kept, nameOnly } from "./kept.ts";

export class TakenIn {
  readonly #isReferenced: (reference: string) => boolean;
  /** Objects that have only their names in memory. */
  readonly #bare = new WeakSet<KubernetesObject>();
  /** Objects on whose content Sluice failed, with the reason. */
  readonly #failures = new WeakMap<KubernetesObject, string>();

  constructor(isReferenced: (reference: string) => boolean) {
    this.#isReferenced = isReferenced;
  }

  take(object: KubernetesObject): KubernetesObject {
    const held = object.kind === "Secret" || object.kind === "ConfigMap";
    if (!held || this.#isReferenced(`${object.kind} ${keyOf(object)}`))
      return guarded(
        () => kept(object),
        (bug) => this.#failedOn(object, bug),
      );
    const bare = nameOnly(object);
    this.#bare.add(bare);
    return bare;
  }

  isNameOnly(object: KubernetesObject): boolean {
    return this.#bare.has(object);
  }

  failureOf(object: KubernetesObject): string | undefined {
    return this.#failures.get(object);
  }

  #failedOn(object: KubernetesObject, bug: Error): KubernetesObject {
    const bare = nameOnly(object);
    this.#failures.set(bare, bugWords(bug));
    return bare;
  }
}
