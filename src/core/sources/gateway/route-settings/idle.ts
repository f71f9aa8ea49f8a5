/**
 * Finds keys that have no effect without another key, such as `auth-signin` without `auth-url`. The
 * other key may be in RouteSettings of another level, so these keys are only reported.
 */

import type { ObjectName, Problem } from "../../../model/problem.ts";
import { featureOf } from "../../../policies/on-routes.ts";
import type { FeatureValues } from "../../../policies/registry.ts";
import type { Settings } from "../../../settings/registry.ts";
import { idleBeside, missingBeside, type Refusals } from "../../ingress/beside.ts";

/** Guards whose values are either all in one object, or not in it at all. */
const whole: ReadonlySet<keyof FeatureValues | undefined> = new Set([
  "basicAuth",
  "clientCertificate",
  "externalAuth",
] as const);

/**
 * Returns one Problem for each such key. `texts` are the texts of one object, and `reading` is what
 * was read from them.
 */
export function idleKeys(
  texts: ReadonlyMap<string, string>,
  reading: Refusals,
  object: ObjectName,
  settings: Settings,
): readonly Problem[] {
  return [...texts].flatMap(([key, text]): Problem[] => {
    const why = text === "" ? undefined : whyIdle(key, texts, reading, settings);
    if (why === undefined) return [];
    const done = whole.has(featureOf(key))
      ? "it is ignored, because what belongs to a guard stands in the object of the guard"
      : "it counts where RouteSettings of another level have what it needs";
    return [{ object, kind: "value-useless", field: `spec.${key}`, why: `has no effect by itself: ${why}`, done }];
  });
}

function whyIdle(
  key: string,
  texts: ReadonlyMap<string, string>,
  reading: Refusals,
  settings: Settings,
): string | undefined {
  const missing = missingBeside(key, (other) => (texts.get(other) ?? "") !== "", reading.values, settings);
  if (missing !== undefined) return `it needs ${missing}`;
  return idleBeside(key, reading);
}
