/**
 * Finds annotations of a canary that have no effect: everything except its share of requests and
 * its balancing comes from the Claim that it relieves (RS-13.9). Tools copy an object with all its
 * annotations to make a canary, so equal annotations are not a mistake.
 */

import type { Problem } from "../../model/problem.ts";
import { annotationKeys } from "../../policies/read.ts";
import { countsInCanary } from "../../policies/registry.ts";
import type { Claim } from "../claim.ts";

const known = new Set(annotationKeys);

/**
 * Returns one Problem for each such annotation. `relieved` are the Claims whose Locations it
 * shadows.
 */
export function idleAnnotations(
  { owner: object, annotations }: Claim,
  relieved: readonly (Claim | undefined)[],
  prefix: string,
): Problem[] {
  const others = relieved.filter((claim) => claim !== undefined);
  return Object.entries(annotations).flatMap(([name, text]): Problem[] => {
    const key = name.startsWith(`${prefix}/`) ? name.slice(prefix.length + 1) : "";
    if (!known.has(key) || countsInCanary(key)) return [];
    const main = others.find((other) => other.annotations[name] !== text);
    if (main === undefined) return [];
    const why = `this is a canary, and a request that it takes has the settings of ${main.key}`;
    return [{ object, kind: "annotation-useless", key, why }];
  });
}
