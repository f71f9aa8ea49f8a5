/** Finds annotations that need a capability that this nginx lacks. */

import type { KubernetesObject } from "../model/objects.ts";
import type { Problem } from "../model/problem.ts";
import { fieldsByKey } from "../policies/registry.ts";
import { type Capability, capabilityNames } from "../tokens/capabilities.ts";

/** Returns Problems of annotations that need a capability that this nginx lacks. */
export function lackingProblems(
  { kind, metadata }: KubernetesObject,
  prefix: string,
  lacks: ReadonlySet<Capability>,
): Problem[] {
  const { annotations = {} } = metadata;
  const problems: Problem[] = [];
  for (const name in annotations) {
    if (annotations[name] === "" || !name.startsWith(`${prefix}/`)) continue;
    const key = name.slice(prefix.length + 1);
    const needed = fieldsByKey.get(key)?.feature.needs;
    if (needed === undefined || !lacks.has(needed)) continue;
    const object = { kind, namespace: metadata.namespace ?? "default", name: metadata.name };
    problems.push({ object, kind: "annotation-useless", key, why: `nginx here has no ${capabilityNames[needed]}` });
  }
  return problems;
}
