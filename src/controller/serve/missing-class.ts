/**
 * Finds Ingresses of a class that does not exist. A controller cannot report them, because they may
 * belong to another controller, but a tool that has all objects can. A folder without any
 * IngressClass may rely on those of its cluster. Then only a class that looks like a typing mistake
 * is reported, and as a doubt.
 */
import { didYouMean } from "../../base/did-you-mean.ts";
import { nearest } from "../../core/kinds/nearest.ts";
import type { Ingress } from "../../core/model/objects.ts";
import type { ObjectName, Problem } from "../../core/model/problem.ts";
import type { Snapshot } from "../../core/model/snapshot.ts";
import { Table } from "../../core/model/table.ts";

/** Which classes of the cluster are here. Of some, a missing one may only be kept elsewhere. */
export type ClassesHere = "all" | "some";

export function missingClasses(snapshot: Objects, here: ClassesHere): Problem[] {
  return new MissingClasses(here).of(snapshot);
}

type Objects = Pick<Snapshot, "ingresses" | "ingressClasses">;

/**
 * Finds them in one Snapshot after the other. It remembers the Ingresses that it found, so that a
 * changed Ingress costs the same among ten and among a hundred thousand.
 */
export class MissingClasses {
  readonly #here: ClassesHere;
  #before: Objects = { ingresses: Table.empty(), ingressClasses: undefined };
  /** Ingresses whose class does not exist. */
  readonly #found = new Map<string, Ingress>();

  constructor(here: ClassesHere) {
    this.#here = here;
  }

  of({ ingresses, ingressClasses }: Objects): Problem[] {
    if (ingressClasses === undefined) return [];
    const before = ingressClasses === this.#before.ingressClasses ? this.#before.ingresses : Table.empty<Ingress>();
    if (before.size === 0) this.#found.clear();
    for (const { key, after } of ingresses.changesSince(before)) {
      const name = after?.spec?.ingressClassName;
      if (name === undefined || ingressClasses.has(name)) this.#found.delete(key);
      else this.#found.set(key, after!);
    }
    this.#before = { ingresses, ingressClasses };
    const names = [...ingressClasses.keys()];
    return [...this.#found.values()].flatMap(({ metadata: { namespace, name }, spec }) => {
      const object = { kind: "Ingress", namespace: namespace!, name };
      return missingClass(object, "IngressClass", spec!.ingressClassName!, names, this.#here);
    });
  }
}

const fields = { IngressClass: "spec.ingressClassName", GatewayClass: "spec.gatewayClassName" };

/**
 * Returns the Problem of a class that no file has. `names` are those of the classes that exist. If
 * some are elsewhere, a name such as `external-nginx` is a usual name for another class and not a
 * typing mistake.
 */
export function missingClass(
  object: ObjectName,
  kind: keyof typeof fields,
  name: string,
  names: readonly string[],
  here: ClassesHere,
): Problem[] {
  const [field, what] = [fields[kind], `${kind} ${JSON.stringify(name)}`];
  const similar = nearest(name, names);
  const hint = didYouMean(similar);
  if (here === "all")
    return [
      { kind: "reference-unusable", object, field, why: `there is no ${what}${hint}`, done: "no controller serves it" },
    ];
  if (similar === undefined || name.endsWith(`-${similar}`)) return [];
  return [{ kind: "field-doubtful", object, field, why: `no file here has the ${what}${hint}` }];
}
