/**
 * Finds annotations that have no effect, or less, because of other annotations or an nginx without
 * Lua. The features declare all of it (`gate`, `requires`, `onlyWith`, `withoutLua`).
 */
import type { AnyFeature, Fields, LostWithoutLua, Other } from "../../policies/declare.ts";
import { otherOf } from "../../policies/hooks.ts";
import { modsecurity } from "../../policies/modsecurity.ts";
import type { Reading } from "../../policies/reading.ts";
import { type FeatureValues, featureList } from "../../policies/registry.ts";
import type { Settings } from "../../settings/registry.ts";

/** What was read from an object, and what of it was refused. */
export type Refusals = Pick<Reading, "values" | "verdict" | "problems">;

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

/** By key: the keys without which its annotation has no effect, the gate first. */
const required = new Map<string, readonly string[]>(
  featureList.flatMap(([, feature]) => {
    const { gate, fields }: { readonly gate?: string; readonly fields: Fields } = feature as AnyFeature;
    return Object.entries(fields).flatMap(([name, { key, aliases = [], requires }]) => {
      if (requires === null || name === gate) return [];
      const keys = [...(gate === undefined ? [] : [fields[gate]!.key]), ...(requires === undefined ? [] : [requires])];
      return keys.length === 0 ? [] : [key, ...aliases].map((one) => [one, keys] as const);
    });
  }),
);

const inspects: ReadonlySet<string> = new Set(
  Object.values(modsecurity.fields as Fields).flatMap(({ key }) => (key === "enable-modsecurity" ? [] : [key])),
);

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
  if (inspects.has(key)) return (values.modsecurity.enable ?? enableModsecurity) ? undefined : "enable-modsecurity";
  return required.get(key)?.find((other) => !has(other));
}

const ownerOf = new Map<string, AnyFeature>(
  featureList.flatMap(([, feature]) =>
    Object.values(feature.fields as Fields).flatMap(({ key, aliases = [] }) =>
      [key, ...aliases].map((one) => [one, feature] as const),
    ),
  ),
);

/**
 * Returns why this annotation has no effect beside the others; undefined if it has one. The value
 * of an annotation that is refused says nothing, and its own Problem is enough.
 */
export function idleBeside(key: string, { values, verdict, problems }: Refusals): string | undefined {
  const own = hooks.get(key);
  if (own?.onlyWith === undefined) return undefined;
  const refused = new Set(
    problems
      .filter(({ kind }) => verdict !== "serve" || kind === "annotation-unreadable")
      .flatMap((one) => ("key" in one ? [ownerOf.get(one.key)] : [])),
  );
  let isKnown = !refused.has(ownerOf.get(key));
  const other: Other = (feature) => {
    isKnown &&= !refused.has(feature);
    return otherOf(values)(feature);
  };
  const why = own.onlyWith(values[own.name], other);
  return isKnown ? why : undefined;
}

/**
 * Returns the part of this annotation's effect that an nginx without Lua lacks; undefined if it
 * lacks nothing.
 */
export function lostWithoutLua(key: string, values: FeatureValues): LostWithoutLua | undefined {
  const own = hooks.get(key);
  return own?.withoutLua?.(values[own.name]);
}
