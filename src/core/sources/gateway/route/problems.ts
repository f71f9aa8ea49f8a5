/** Collects the Problems of a route at all its parents, each once. */
import { shown } from "../../../kinds/kind.ts";
import type { Route } from "../../../model/gateway/objects.ts";
import { missing } from "../../../model/missing.ts";
import { kindAndKey } from "../../../model/objects.ts";
import type { ObjectName, Problem } from "../../../model/problem.ts";
import type { Snapshot } from "../../../model/snapshot.ts";
import { isScope } from "../listener/default-gateways.ts";
import { type Attachment, parentsNamed } from "./attach.ts";
import type { RulesRead } from "./rules.ts";

export type RouteName = ObjectName & { readonly namespace: string };

export function problemsOf(
  object: RouteName,
  { spec }: Route,
  attachments: readonly Attachment[],
  rules: RulesRead,
): Problem[] {
  const faults = attachments.flatMap(({ fault }) => fault ?? []);
  const ofHosts = attachments.flatMap(({ refusedHosts }) => refusedHosts);
  const problems = [...faults, ...rules.unresolved, ...rules.invalid].map(({ problem }) => problem).concat(ofHosts);
  const notes = [...rules.notes];
  const scope = spec?.useDefaultGateways;
  if (attachments.length > 0 && !isScope(scope)) {
    const done = "the route is attached to the Gateways that spec.parentRefs names";
    const why = `${shown(scope!)} is not All or None`;
    notes.push({ object, kind: "value-unusable", field: "spec.useDefaultGateways", why, done });
  }
  return [...new Map([...problems, ...notes].map((one) => [JSON.stringify(one), one])).values()];
}

/**
 * Returns Problems about parents that do not exist. Parents of other classes are left to other
 * controllers.
 */
export function orphanProblems(object: ObjectName, route: Route, snapshot: Snapshot): Problem[] {
  const { gateways, listenerSets } = snapshot;
  return parentsNamed(route).flatMap((parent): Problem[] => {
    const [kind, key] = kindAndKey(parent);
    if ((kind === "Gateway" ? gateways : listenerSets).has(key)) return [];
    const done = "the route is not attached there";
    return [{ object, field: "spec.parentRefs", ...missing(kind, key), done }];
  });
}
