/**
 * Finds keys that have no effect without another key, such as `auth-secret` without `auth-type`.
 * The other key may be in RouteSettings of another level, so these keys are only reported.
 */
import type { AnyFeature, Fields } from "../../../annotations/declare.ts";
import { type FeatureValues, featureList } from "../../../annotations/registry.ts";
import type { ObjectName, Problem } from "../../../problem.ts";
import { idleBeside } from "../../ingress/beside.ts";

/** The key that each other key of its feature depends on. */
const gateOf = new Map(
  featureList
    .filter(([name]) => name === "basicAuth" || name === "mirror")
    .flatMap(([, { gate, fields }]: readonly [string, AnyFeature]) => {
      const { [gate!]: own, ...others } = fields as Fields;
      return Object.values(others).map(({ key }) => [key, own!.key] as const);
    }),
);

/** `texts` are the texts of one object, and `values` are the values that were read from them. */
export function idleKeys(
  texts: ReadonlyMap<string, string>,
  values: FeatureValues,
  object: ObjectName,
): readonly Problem[] {
  return [...texts].flatMap(([key, text]): Problem[] => {
    const gate = gateOf.get(key);
    const isShut = gate !== undefined && (texts.get(gate) ?? "") === "";
    const why = text === "" ? undefined : isShut ? `it needs ${gate}` : idleBeside(key, values);
    if (why === undefined) return [];
    const done = "it counts where RouteSettings of another level have what it needs";
    return [{ object, kind: "field-unusable", field: `spec.${key}`, why: `has no effect by itself: ${why}`, done }];
  });
}
