/**
 * Finds annotations that have no effect, or less, because of other annotations or an nginx without
 * Lua. The features declare both (`onlyWith`, `withoutLua`).
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

/** Returns why this annotation has no effect beside the others; undefined if it has one. */
export function idleBeside(key: string, values: FeatureValues): string | undefined {
  const own = hooks.get(key);
  return own?.onlyWith?.(values[own.name], otherOf(values));
}

/**
 * Returns the part of this annotation's effect that an nginx without Lua lacks; undefined if it
 * lacks nothing.
 */
export function lostWithoutLua(key: string, values: FeatureValues): LostWithoutLua | undefined {
  const own = hooks.get(key);
  return own?.withoutLua?.(values[own.name]);
}
