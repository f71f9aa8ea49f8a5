/**
 * Makes the statuses of BackendTLSPolicies, for each Gateway whose routes use a Service that one of
 * them targets.
 */

import { gatewayGroup } from "../../../model/gateway/objects.ts";
import type { DesiredAncestorStatus, DesiredCondition, DesiredStatus } from "../../../model/gateway/status.ts";
import { missing } from "../../../model/missing.ts";
import { objectKey, type Service } from "../../../model/objects.ts";
import { type Mistake, type Problem, sentence } from "../../../model/problem.ts";
import type { Problems } from "../../../table/problems.ts";
import type { Turn } from "../../../table/turn.ts";
import { type Fault, fails, holds, wordsOfAll } from "../conditions.ts";
import type { ServiceUsers } from "../service-users.ts";
import type { BackendTlsPolicies } from "./policies.ts";
import type { PolicyReading, PolicyTargetRead } from "./policy.ts";

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

interface PolicyStatusWorld {
  readonly policies: Pick<BackendTlsPolicies, "conflictAt">;
  service(key: string): Service | undefined;
}

interface PolicyStatusRead {
  readonly ancestors: readonly DesiredAncestorStatus[];
  readonly problems: readonly Problem[];
}

/**
 * Makes the status of one policy. `gateways` has, by `namespace/name`, the Services of the policy
 * that the Gateway's routes use.
 */
function policyStatus(
  reading: PolicyReading,
  gateways: ReadonlyMap<string, ReadonlySet<string>>,
  world: PolicyStatusWorld,
): PolicyStatusRead {
  const problems = new Map<string, Problem>();
  const ancestors = [...gateways].map(([key, services]): DesiredAncestorStatus => {
    const targets = reading.targets.filter(({ service }) => services.has(service));
    const faults = targets.flatMap((target) => faultAt(reading, target, world) ?? []);
    const all = [...(reading.invalid === undefined ? [] : [reading.invalid]), ...reading.unresolved, ...faults];
    for (const { problem } of all) problems.set(sentence(problem), problem);
    const [namespace = "", name = ""] = key.split("/");
    return {
      ancestorRef: { group: gatewayGroup, kind: "Gateway", namespace, name },
      conditions: [accepted(reading, faults), resolved(reading)],
    };
  });
  return { ancestors, problems: [...problems.values()] };
}

function accepted({ invalid }: PolicyReading, faults: readonly Fault[]): DesiredCondition {
  const [first] = faults;
  // A policy that an older one keeps from its target is Conflicted, whatever else is wrong with it.
  const conflict = faults.find(({ reason }) => reason === "Conflicted");
  if (conflict !== undefined) return fails("Accepted", conflict.reason, sentence(conflict.problem));
  if (invalid !== undefined) return fails("Accepted", invalid.reason, sentence(invalid.problem));
  if (first !== undefined) return fails("Accepted", first.reason, wordsOfAll(faults.map(({ problem }) => problem)));
  return holds("Accepted", "requests to its targets use TLS, and their certificates are verified");
}

function resolved({ unresolved }: PolicyReading): DesiredCondition {
  const [first] = unresolved;
  if (first === undefined) return holds("ResolvedRefs", "all authorities that the policy names are found");
  return fails("ResolvedRefs", first.reason, wordsOfAll(unresolved.map(({ problem }) => problem)));
}

function faultAt(reading: PolicyReading, target: PolicyTargetRead, world: PolicyStatusWorld): Fault | undefined {
  const { service: key, section, field } = target;
  const service = world.service(key);
  const hasPort = section === undefined || service?.spec?.ports?.some((port) => port.name === section) === true;
  if (service !== undefined && hasPort) return world.policies.conflictAt(reading, target);
  const mistake: Mistake =
    service === undefined
      ? missing("Service", key)
      : { kind: "reference-unusable", why: `Service ${key} has no port named ${section}` };
  const problem: Problem = {
    object: reading.object,
    field: service === undefined ? field : `${field}.sectionName`,
    ...mistake,
    done: "the policy is not followed there",
  };
  return { reason: "TargetNotFound", problem };
}
