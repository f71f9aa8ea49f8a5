/**
 * Finds targets of BackendTLSPolicies that do not exist. Their statuses have an entry for each
 * Gateway with routes to the target, so nothing reports a target that no route has.
 */
import { missing, wrongKind } from "../../core/model/missing.ts";
import type { Problem } from "../../core/model/problem.ts";
import type { Snapshot } from "../../core/model/snapshot.ts";

/** A missing Service is only reported if the folder has Services. */
export function untargetedPolicies({
  backendTLSPolicies,
  services,
}: Pick<Snapshot, "backendTLSPolicies" | "services">): readonly Problem[] {
  const areHere = [...services.keys()].length > 0;
  return [...backendTLSPolicies.values()].flatMap(({ kind, metadata: { namespace = "default", name: own }, spec }) =>
    (spec?.targetRefs ?? []).flatMap(({ group, kind: target, name }, at): readonly Problem[] => {
      const object = { kind, namespace, name: own };
      const field = `spec.targetRefs[${at}]`;
      const done = "the policy is not followed there";
      if (group !== "") return [];
      if (target !== "Service") {
        return [{ object, field, ...wrongKind({ kind: target }, "Service"), done }];
      }
      const key = `${namespace}/${name}`;
      if (!areHere || services.has(key)) return [];
      return [{ object, field, ...missing("Service", key), done }];
    }),
  );
}
