/**
 * Applies the host policy to listeners of ListenerSets. The author of a Gateway decides about its
 * own listeners. A set may belong to a tenant, and a listener takes requests from routes on wider
 * listeners, even while it has no route.
 */
import { catchAll } from "../../../model/configuration.ts";
import type { Problem } from "../../../model/problem.ts";
import { type HostPolicy, permits } from "../../host-policy/policy.ts";
import type { Fault } from "../conditions.ts";
import type { ListenerReading } from "../reading.ts";

/**
 * Refuses listeners whose host belongs to other namespaces. `home` is the namespace of the Gateway;
 * the policy does not apply to sets of this namespace.
 */
export function withPermission(
  listeners: readonly ListenerReading[],
  home: string,
  policy: HostPolicy,
): readonly ListenerReading[] {
  return listeners.map((one) => {
    const refused = one.owner.namespace === home ? undefined : refusalOf(one, policy);
    return refused === undefined ? one : { ...one, refused };
  });
}

function refusalOf(one: ListenerReading, policy: HostPolicy): Fault | undefined {
  const { hostname, owner, field, stream } = one;
  if (stream === "tcp" || stream === "udp") return undefined;
  const host = hostOfOthers(hostname === "" ? catchAll : hostname, owner.namespace, policy);
  if (host === undefined) return undefined;
  const problem: Problem = {
    object: owner,
    kind: "host-refused",
    field: `${field}.hostname`,
    host: host === catchAll ? "*" : host,
    owners: policy.ownersOf(host) ?? [],
  };
  return { reason: "NotAllowedByHostPolicy", problem };
}

/**
 * Returns the hostname itself, or one that it takes as a wildcard, if it is given to other
 * namespaces alone.
 */
function hostOfOthers(hostname: string, namespace: string, policy: HostPolicy): string | undefined {
  if (!permits(policy, namespace, hostname)) return hostname;
  if (!hostname.startsWith("*.")) return undefined;
  return policy.below(hostname).find((host) => !permits(policy, namespace, host));
}
