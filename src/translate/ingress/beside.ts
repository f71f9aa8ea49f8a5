/**
 * Annotations that do nothing, or less, beside what is around them: other annotations, or an nginx
 * without Lua. The features declare both themselves (`onlyWith`, `withoutLua`).
 */
import type { AnyFeature, Fields, LostWithoutLua, Other } from "../../annotations/declare.ts";
import { otherOf } from "../../annotations/hooks.ts";
import { type FeatureValues, featureList } from "../../annotations/registry.ts";

interface Hooks {
  readonly name: keyof FeatureValues;
  readonly onlyWith: ((value: unknown, other: Other) => string | undefined) | undefined;
  readonly withoutLua: ((value: unknown) => LostWithoutLua | undefined) | undefined;
}

const hooks = new Map<string, Hooks>(
  featureList.flatMap(([name, feature]) => {
    const { onlyWith = {}, withoutLua = {} }: AnyFeature = feature;
    return Object.entries(feature.fields as Fields).flatMap(([field, { key, aliases = [] }]) => {
      const own = { name, onlyWith: onlyWith[field], withoutLua: withoutLua[field] };
      const has = own.onlyWith !== undefined || own.withoutLua !== undefined;
      return has ? [key, ...aliases].map((one) => [one, own] as const) : [];
    });
  }),
);

/** Why this annotation does nothing beside the others; undefined where it does something. */
export function idleBeside(key: string, values: FeatureValues): string | undefined {
  const own = hooks.get(key);
  return own?.onlyWith?.(values[own.name], otherOf(values));
}

/** The loss of this annotation in an nginx without Lua; undefined where it loses nothing. */
export function lostWithoutLua(key: string, values: FeatureValues): LostWithoutLua | undefined {
  const own = hooks.get(key);
  return own?.withoutLua?.(values[own.name]);
}
