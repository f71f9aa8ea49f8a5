/**
 * Finds Ingresses of a class that does not exist. A controller cannot report them, because they may
 * belong to another controller, but a tool that has all objects can. A folder without any
 * IngressClass may rely on those of its cluster. Then only a class that looks like a typing mistake
 * is reported, and as a doubt.
 */
import { nearest } from "../../../kinds/nearest.ts";
import type { Snapshot } from "../../../model/snapshot.ts";
import type { ObjectName, Problem } from "../../../problem.ts";

export function missingClasses(
  { ingresses, ingressClasses }: Pick<Snapshot, "ingresses" | "ingressClasses">,
  allAreHere: boolean,
): Problem[] {
  if (ingressClasses === undefined) return [];
  const names = [...ingressClasses.keys()];
  return [...ingresses.values()].flatMap(({ metadata, spec }): Problem[] => {
    const name = spec?.ingressClassName;
    if (name === undefined || ingressClasses.has(name)) return [];
    const object = { kind: "Ingress", namespace: metadata.namespace!, name: metadata.name };
    return missingClass(object, "IngressClass", name, names, allAreHere);
  });
}

const fields = { IngressClass: "spec.ingressClassName", GatewayClass: "spec.gatewayClassName" };

/**
 * Returns the Problem of a class that no file has. `names` are those of the classes that exist.
 * `allAreHere` says whether the files have all classes. If not, a name such as `external-nginx` is
 * a usual name for another class and not a typing mistake.
 */
export function missingClass(
  object: ObjectName,
  kind: keyof typeof fields,
  name: string,
  names: readonly string[],
  allAreHere: boolean,
): Problem[] {
  const [field, what] = [fields[kind], `${kind} ${JSON.stringify(name)}`];
  const similar = nearest(name, names);
  const hint = similar === undefined ? "" : ` (did you mean ${similar}?)`;
  if (allAreHere)
    return [
      { kind: "field-unusable", object, field, why: `there is no ${what}${hint}`, done: "no controller serves it" },
    ];
  if (similar === undefined || name.endsWith(`-${similar}`)) return [];
  return [{ kind: "field-doubtful", object, field, why: `no file here has the ${what}${hint}` }];
}
