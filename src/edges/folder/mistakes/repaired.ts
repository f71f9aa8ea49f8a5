/**
 * Makes an object without the parts for which the API server would refuse it, so that the rest of
 * it can be judged at the same time. Only commands that report use it; nothing of it is ever
 * served.
 */

import { isMapping, type Mapping } from "../../../core/model/mapping.ts";
import type { KubernetesObject } from "../../../core/model/objects.ts";
import type { WatchedKind } from "../../../core/model/snapshot.ts";
import type { Path } from "../../../core/schema/findings.ts";
import { kinds } from "../kinds.ts";
import { writtenObject } from "../object.ts";

/** Each round takes away at least one level around a mistake. */
const mostRounds = 20;

/**
 * Returns undefined if too little is left, such as no name. `kind` is the kind that was meant.
 */
export function repaired(value: Mapping, kind: WatchedKind): KubernetesObject | undefined {
  const meant: Mapping = { ...value, apiVersion: kinds[kind].apiVersion, kind };
  let left = withSpec(meant, meant);
  for (let round = 0; left !== undefined && round < mostRounds; round += 1) {
    const read = writtenObject(left);
    if (read.is !== "ours") return undefined;
    if (read.object !== undefined) return read.object;
    const refused = read.findings.filter(({ fatal }) => fatal).map(({ path }) => path);
    left = withSpec(without(left, refused) as Mapping | undefined, left);
  }
  return undefined;
}

/** Returns undefined if one of the paths is the value itself. */
function without(value: unknown, paths: readonly Path[]): unknown {
  if (paths.length === 0) return value;
  if (paths.some((path) => path.length === 0)) return undefined;
  const below = (step: string | number) => paths.filter(([first]) => first === step).map((path) => path.slice(1));
  if (Array.isArray(value))
    return value.map((item, at) => without(item, below(at))).filter((item) => item !== undefined);
  if (!isMapping(value)) return value;
  const entries = Object.entries(value).map(([key, item]) => [key, without(item, below(key))] as const);
  return Object.fromEntries(entries.filter(([, item]) => item !== undefined));
}

/**
 * Returns the object with a spec, also if it has none, as a patch. An Ingress that has lost all
 * rules keeps its class, so that its annotations are still judged.
 */
function withSpec(left: Mapping | undefined, { spec, kind }: Mapping): Mapping | undefined {
  if (left === undefined || (left.spec ?? undefined) !== undefined || kind !== "Ingress") return left;
  const ingressClassName = isMapping(spec) ? spec.ingressClassName : undefined;
  const defaultBackend = { service: { name: "unread", port: { number: 80 } } };
  return { ...left, spec: { defaultBackend, ...(typeof ingressClassName === "string" && { ingressClassName }) } };
}
