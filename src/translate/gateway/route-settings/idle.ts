/**
 * Finds keys that have no effect without another key, such as `auth-signin` without `auth-url`. The
 * other key may be in RouteSettings of another level, so these keys are only reported.
 */
import type { AnyFeature, Fields } from "../../../annotations/declare.ts";
import { featureOf } from "../../../annotations/on-routes.ts";
import { type FeatureValues, featureList } from "../../../annotations/registry.ts";
import type { ObjectName, Problem } from "../../../problem.ts";
import type { Settings } from "../../../settings/registry.ts";
import { idleBeside } from "../../ingress/beside.ts";

/** Fields that nothing but their annotation opens, by their features. */
const gates: Partial<Record<keyof FeatureValues, string>> = {
  basicAuth: "type",
  clientCertificate: "secret",
  externalAuth: "url",
  mirror: "target",
  proxySsl: "secret",
  sessionAffinity: "type",
};

/** Keys of these features that nevertheless have an effect by themselves. */
const byThemselves: ReadonlySet<string> = new Set(["enable-global-auth"]);

/** The key of a gate, by the other keys of its feature. */
const gateOf = new Map(
  featureList.flatMap(([name, { fields }]: readonly [keyof FeatureValues, AnyFeature]) => {
    const gate = gates[name];
    if (gate === undefined) return [];
    const { [gate]: own, ...others } = fields as Fields;
    return Object.values(others).flatMap(({ key }) => (byThemselves.has(key) ? [] : [[key, own!.key] as const]));
  }),
);

/** Guards whose values are either all in one object, or not in it at all. */
const whole: ReadonlySet<keyof FeatureValues | undefined> = new Set([
  "basicAuth",
  "clientCertificate",
  "externalAuth",
] as const);

/**
 * Returns one Problem for each such key. `texts` are the texts of one object, and `values` are the
 * values that were read from them.
 */
export function idleKeys(
  texts: ReadonlyMap<string, string>,
  values: FeatureValues,
  object: ObjectName,
  settings: Settings,
): readonly Problem[] {
  return [...texts].flatMap(([key, text]): Problem[] => {
    const why = text === "" ? undefined : whyIdle(key, texts, values, settings);
    if (why === undefined) return [];
    const done = whole.has(featureOf(key))
      ? "it is ignored, because what belongs to a guard stands in the object of the guard"
      : "it counts where RouteSettings of another level have what it needs";
    return [{ object, kind: "field-unusable", field: `spec.${key}`, why: `has no effect by itself: ${why}`, done }];
  });
}

function whyIdle(
  key: string,
  texts: ReadonlyMap<string, string>,
  values: FeatureValues,
  settings: Settings,
): string | undefined {
  const gate = gateOf.get(key);
  if (gate !== undefined && (texts.get(gate) ?? "") === "") return `it needs ${gate}`;
  const { enable: traces } = values.opentelemetry;
  if (featureOf(key) === "opentelemetry" && traces === undefined) return "it needs enable-opentelemetry";
  const isInspected = values.modsecurity.enable ?? settings.enableModsecurity;
  if (featureOf(key) === "modsecurity" && key !== "enable-modsecurity" && !isInspected)
    return "it needs enable-modsecurity";
  return idleBeside(key, values);
}
