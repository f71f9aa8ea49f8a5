/** Reports a Gateway that `--shared-gateway` names and that Sluice does not serve. */
import { missing } from "../../model/missing.ts";
import { nameOf } from "../../model/objects.ts";
import type { Mistake, Problem } from "../../model/problem.ts";
import type { Snapshot } from "../../model/snapshot.ts";

/**
 * Returns the Problem of the Gateway. `shared` is its `namespace/name`, and `isServed` says whether
 * it is a Gateway of this controller.
 */
export function sharedProblem(
  shared: string,
  { gateways }: Pick<Snapshot, "gateways">,
  isServed: boolean,
): Problem | undefined {
  if (isServed) return undefined;
  const gateway = gateways.get(shared);
  const mistake: Mistake =
    gateway === undefined
      ? missing("Gateway", shared)
      : { kind: "reference-unusable", why: `no GatewayClass ${gateway.spec?.gatewayClassName} is served here` };
  const done = "no Gateway has the ports of Ingresses";
  return {
    object: { kind: "Gateway", ...nameOf(shared) },
    field: "--shared-gateway",
    ...mistake,
    done,
  };
}
