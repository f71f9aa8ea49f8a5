/**
 * Finds Ingresses of a class that does not exist. A controller cannot report them, because they may
 * belong to another controller, but a tool that has all objects can. A folder without any
 * IngressClass may rely on those of its cluster; then only a class that looks like a typing mistake
 * is reported.
 */
import { nearest } from "../../../kinds/nearest.ts";
import type { Snapshot } from "../../../model/snapshot.ts";
import type { Problem } from "../../../problem.ts";

export function missingClasses(
  { ingresses, ingressClasses }: Pick<Snapshot, "ingresses" | "ingressClasses">,
  allAreHere: boolean,
): Problem[] {
  if (ingressClasses === undefined) return [];
  const names = [...ingressClasses.keys()];
  return [...ingresses.values()].flatMap(({ metadata, spec }): Problem[] => {
    const name = spec?.ingressClassName;
    if (name === undefined || ingressClasses.has(name)) return [];
    const similar = nearest(name, names);
    if (similar === undefined && !allAreHere) return [];
    return [
      {
        kind: "field-unusable",
        object: { kind: "Ingress", namespace: metadata.namespace!, name: metadata.name },
        field: "spec.ingressClassName",
        why: `there is no IngressClass ${JSON.stringify(name)}${similar === undefined ? "" : ` (did you mean ${similar}?)`}`,
        done: "no controller serves it",
      },
    ];
  });
}
