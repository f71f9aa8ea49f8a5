/**
 * Ingresses of a class that does not exist. No controller can say so, since each takes such an
 * Ingress for another's; where all objects are before us, it can be said. Without any IngressClass
 * of its own a folder may mean those of its cluster: then only what looks like a slip of the pen is
 * reported.
 */
import { nearest } from "../../kinds/nearest.ts";
import type { Snapshot } from "../../model/snapshot.ts";
import type { Problem } from "../../problem.ts";

export function missingClasses(
  { ingresses, ingressClasses }: Pick<Snapshot, "ingresses" | "ingressClasses">,
  allAreHere: boolean,
): Problem[] {
  if (ingressClasses === undefined) return [];
  const names = [...ingressClasses.keys()];
  return [...ingresses.values()].flatMap(({ metadata, spec }): Problem[] => {
    const name = spec?.ingressClassName;
    if (name === undefined || ingressClasses.has(name)) return [];
    const meant = nearest(name, names);
    if (meant === undefined && !allAreHere) return [];
    return [
      {
        kind: "field-unusable",
        object: { kind: "Ingress", namespace: metadata.namespace!, name: metadata.name },
        field: "spec.ingressClassName",
        why: `there is no IngressClass ${JSON.stringify(name)}${meant === undefined ? "" : ` (did you mean ${meant}?)`}`,
        done: "no controller serves it",
      },
    ];
  });
}
