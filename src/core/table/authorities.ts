/**
 * Limits the authorities and key pairs that the objects of one kind and namespace may make nginx
 * load. nginx before 1.27.2 loads them again for each server block and each shape that names them,
 * at every test and reload, and the authorities of a machine take tens of milliseconds and a
 * megabyte each time. Newer ones load a file once, and a tenant may have many.
 * The oldest objects come first.
 */
import { bytesOf } from "../kinds/measures.ts";
import type { KubernetesObject } from "../model/objects.ts";
import type { ObjectName, Problem } from "../model/problem.ts";
import type { Settings } from "../settings/registry.ts";
import { ageOf } from "./age.ts";
import { NamespaceBudget } from "./namespace-budget.ts";

export class AuthoritiesBudget {
  readonly #budget = new NamespaceBudget();

  /** Notes what an object loads. Objects with the same id load it together. */
  set(key: string, object: KubernetesObject | undefined, bytes: number, id?: string): void {
    const wish = object && { age: ageOf(object), bytes };
    this.#budget.set(key, wish && id !== undefined ? { ...wish, id } : wish);
  }

  /** Decides again. Returns the objects about which it differs, as `namespace/name`. */
  settle({ authoritiesPerNamespace: most }: Settings): readonly string[] {
    return this.#budget.settle(bytesOf(most));
  }

  isRefused(key: string): boolean {
    return this.#budget.refused(key) !== undefined;
  }
}

/** Returns the Problem of an object that is refused; `done` is what happens to its requests. */
export function tooMuchTrust(
  object: ObjectName,
  field: string,
  { authoritiesPerNamespace: most }: Settings,
  done: string,
): Problem {
  const why = `with the older objects of kind ${object.kind} in namespace ${object.namespace} nginx would load more authorities and key pairs than authorities-per-namespace permits (${most})`;
  return { object, kind: "limit-exceeded", field, why, done };
}
