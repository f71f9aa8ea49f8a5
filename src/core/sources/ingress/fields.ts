/** The fields of an Ingress, by which others are recognised in files. */
import type { Ingress } from "../../model/objects.ts";
import { consequences, type ObjectName, type Problem } from "../../model/problem.ts";
import { closingProblem, unknownFields, withMetadata } from "../../table/unknown-fields.ts";
import { anything, listOf, record } from "../gateway/types/shape.ts";

const backend = record({
  service: record({ name: anything, port: record({ name: anything, number: anything }) }),
  resource: anything,
});
const ingress = withMetadata(
  record({
    ingressClassName: anything,
    defaultBackend: backend,
    rules: listOf(
      record({
        host: anything,
        http: record({ paths: listOf(record({ path: anything, pathType: anything, backend })) }),
      }),
    ),
    tls: listOf(record({ hosts: anything, secretName: anything })),
  }),
);

/**
 * Returns the Problem of a field that may be a guard and that no version of Ingresses has. An API
 * server drops such fields, and a file may have them. All others are reported with the file.
 */
export function unknownGuard(object: Ingress): Problem | undefined {
  const one = unknownFields(ingress, object).find(({ mayGuard }) => mayGuard);
  return one && closingProblem(nameOf(object), one, consequences.deny);
}

function nameOf({ metadata: { namespace = "default", name } }: Ingress): ObjectName {
  return { kind: "Ingress", namespace, name };
}
