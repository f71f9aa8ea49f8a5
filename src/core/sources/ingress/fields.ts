/** Finds fields that no version of Ingresses has. */
import type { Ingress } from "../../model/objects.ts";
import { consequences, type ObjectName, type Problem } from "../../model/problem.ts";
import { closingProblem, unknownIn } from "../../table/unknown-fields.ts";

/**
 * Returns the Problem of a field that may be a guard and that no version of Ingresses has. An API
 * server drops such fields, and a file may have them. All others are reported with the file.
 */
export function unknownGuard(object: Ingress): Problem | undefined {
  const one = unknownIn(object).find(({ mayGuard }) => mayGuard);
  return one && closingProblem(nameOf(object), one, consequences.deny);
}

function nameOf({ metadata: { namespace = "default", name } }: Ingress): ObjectName {
  return { kind: "Ingress", namespace, name };
}
