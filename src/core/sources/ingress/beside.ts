/**
 * Finds annotations that have no effect, or less, because of other annotations or an nginx without
 * Lua. The features declare all of it (`gate`, `requires`, `onlyWith`, `withoutLua`).
 */
import type { Fields, LostWithoutLua, Other } from "../../policies/declare.ts";
import { otherOf } from "../../policies/hooks.ts";
import type { Reading } from "../../policies/reading.ts";
import { type FeatureValues, fieldsByKey, type KeyedField } from "../../policies/registry.ts";
import type { Settings } from "../../settings/registry.ts";

/** What was read from an object, and what of it was refused. */
export type Refusals = Pick<Reading, "values" | "verdict" | "problems">;

/**
 * Returns the annotation that this one needs and that is absent or empty; undefined if none is.
 * `has` says of a key whether its annotation is there. ModSecurity may also be on by the ConfigMap.
 */
export function missingBeside(
  key: string,
  has: (key: string) => boolean,
  values: FeatureValues,
  { enableModsecurity }: Pick<Settings, "enableModsecurity">,
): string | undefined {
  const own = fieldsByKey.get(key);
  if (own?.name === "modsecurity" && key !== switchKey)
    return (values.modsecurity.enable ?? enableModsecurity) ? undefined : switchKey;
  return own === undefined ? undefined : requiredBy(own).find((other) => !has(other));
}

const switchKey = "enable-modsecurity";

/** Returns the keys without which the annotation has no effect, the gate first. */
function requiredBy({ feature, field, declared: { requires } }: KeyedField): readonly string[] {
  const { gate, fields }: { readonly gate?: string; readonly fields: Fields } = feature;
  if (requires === null || field === gate) return [];
  return [...(gate === undefined ? [] : [fields[gate]!.key]), ...(requires === undefined ? [] : [requires])];
}

/**
 * Returns why this annotation has no effect beside the others; undefined if it has one. The value
 * of an annotation that is refused says nothing, and its own Problem is enough.
 */
export function idleBeside(key: string, { values, verdict, problems }: Refusals): string | undefined {
  const own = fieldsByKey.get(key);
  const onlyWith = own?.feature.onlyWith?.[own.field];
  if (own === undefined || onlyWith === undefined) return undefined;
  const refused = new Set(
    problems
      .filter(({ kind }) => verdict !== "serve" || kind === "annotation-unreadable")
      .flatMap((one) => ("key" in one ? [fieldsByKey.get(one.key)?.feature] : [])),
  );
  let isKnown = !refused.has(own.feature);
  const other: Other = (feature) => {
    isKnown &&= !refused.has(feature);
    return otherOf(values)(feature);
  };
  const why = onlyWith(values[own.name], other);
  return isKnown ? why : undefined;
}

/**
 * Returns the part of this annotation's effect that an nginx without Lua lacks; undefined if it
 * lacks nothing.
 */
export function lostWithoutLua(key: string, values: FeatureValues): LostWithoutLua | undefined {
  const own = fieldsByKey.get(key);
  return own?.feature.withoutLua?.[own.field]?.(values[own.name]);
}
