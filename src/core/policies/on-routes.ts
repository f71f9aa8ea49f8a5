/** Finds, from the declarations of the features, the annotations that RouteSettings may have. */
import { type FeatureValues, featureList, fieldsByKey } from "./registry.ts";

/** Returns the feature that a key belongs to; undefined if no feature has it. */
export function featureOf(key: string): keyof FeatureValues | undefined {
  return fieldsByKey.get(key)?.name;
}

/** Whether the annotation with this key refers to another object. */
export function refers(key: string): boolean {
  return fieldsByKey.get(key)?.declared.refers === true;
}

/** Returns why the key cannot be served for routes; undefined if it can. */
export function whyNotOnRoutes(key: string): string | undefined {
  const place = fieldsByKey.get(key);
  const why = place?.feature.notOnRoutes;
  return typeof why === "object" ? why[place!.field] : why;
}

/** Returns whether the key is one for RouteSettings of listeners, and not for those of routes. */
export function isForListeners(key: string): boolean {
  const place = fieldsByKey.get(key);
  const these = place?.feature.onListeners;
  return these === true || these?.includes(place!.field) === true;
}

/**
 * Words that occur only in the names of guards. So guards of newer versions are recognised, too.
 */
const guardWords = /^auth(?:-|$)|-source-range$|modsecurity|^satisfy$/;

/** Whether the key decides, or may decide, which clients get in. */
export function mayGuard(key: string): boolean {
  const place = fieldsByKey.get(key);
  return place === undefined ? guardWords.test(key) : place.feature.guard === true;
}

export const guardNames: readonly (keyof FeatureValues)[] = featureList.flatMap(([name, { guard }]) =>
  guard === true ? [name] : [],
);

const forServers = featureList.filter(
  ([, { onListeners, serverView }]) => onListeners === true && serverView !== undefined,
);

/** Returns the features to which the values give something that nginx reads in a server block. */
export function givenForServers(values: FeatureValues): typeof featureList {
  return forServers.filter(([name, { provides }]) => provides?.(values[name]) === true);
}

/** Returns `values` with those of `own` that nginx reads in a server block. */
export function withServerValues(values: FeatureValues, own: FeatureValues): FeatureValues {
  const given = givenForServers(own);
  return given.length === 0 ? values : { ...values, ...Object.fromEntries(given.map(([name]) => [name, own[name]])) };
}
