/** Makes the statuses and Problems of policies that may have changed in a turn. */
import type { DesiredStatus } from "../../../model/gateway/status.ts";
import { objectKey } from "../../../model/objects.ts";
import type { Problems } from "../../../table/problems.ts";
import type { Turn } from "../../../table/turn.ts";
import type { ServiceUsers } from "../service-users.ts";
import type { BackendTlsPolicies } from "./policies.ts";
import { policyStatus } from "./policy-status.ts";

/**
 * Returns the changed statuses. A policy that no route of this controller uses gets no status,
 * because it may be for another controller.
 */
export function policyStatuses(
  policies: BackendTlsPolicies,
  users: readonly ServiceUsers[],
  problems: Problems,
  { now }: Turn,
): [string, DesiredStatus | undefined][] {
  const touched = users.flatMap((one) => [...one.touched]);
  const keys = new Set([...policies.changed, ...touched.flatMap((service) => [...policies.of(service)])]);
  return [...keys].map((key) => {
    const reading = policies.reading(key);
    const gateways = new Map<string, Set<string>>();
    for (const { service } of reading?.targets ?? []) {
      for (const gateway of users.flatMap((one) => [...one.gatewaysOf(service)])) {
        gateways.set(gateway, (gateways.get(gateway) ?? new Set()).add(service));
      }
    }
    const sorted = new Map([...gateways].sort(([one], [other]) => (one < other ? -1 : 1)));
    const service = (name: string) => now.snapshot.services.get(name);
    const found = reading && policyStatus(reading, sorted, { policies, service });
    problems.replace(`BackendTLSPolicy ${key}`, found?.problems ?? []);
    const object = now.snapshot.backendTLSPolicies.get(key);
    const ancestors = found?.ancestors ?? [];
    return [objectKey("BackendTLSPolicy", key), object && { kind: "policy", object, ancestors }];
  });
}
