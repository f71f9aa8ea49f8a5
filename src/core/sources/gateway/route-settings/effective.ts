/**
 * Combines several RouteSettings for one request. The inner one's value counts. Guards of all of
 * them hold together, and if two guards cannot be combined, no request passes.
 */

import { bytesOf } from "../../../kinds/measures.ts";
import { settingsPrefix } from "../../../model/gateway/route-settings.ts";
import type { Owner } from "../../../model/owner.ts";
import { named, type Problem } from "../../../model/problem.ts";
import type { AnyFeature } from "../../../policies/declare.ts";
import { featureOf, refers } from "../../../policies/on-routes.ts";
import { readAnnotations, unannotated } from "../../../policies/read.ts";
import { type FeatureValues, featureList } from "../../../policies/registry.ts";
import { defaultSettings, type Settings } from "../../../settings/registry.ts";
import { closed, featuresGiven, type SettingsReading } from "./reading.ts";

export interface Effective {
  readonly features: FeatureValues;
  /**
   * The reason why one of the objects alone lets no request pass; undefined if requests may
   * pass.
   */
  readonly closed: Problem | undefined;
  /** The reason why several together let no request pass; undefined if requests may pass. */
  readonly conflict: Problem | undefined;
  /** The objects with these values. */
  readonly authors: readonly Owner[];
  /** Their readings, the inner one first. */
  readonly layers: readonly SettingsReading[];
  /** Values that cannot be served on the listener; absent if all can. */
  readonly unserved?: readonly Problem[];
}

/**
 * Combines RouteSettings. `layers` has at least one object, the inner one first. `settings` are
 * those that hold for routes.
 */
export function effectiveOf(layers: readonly SettingsReading[], settings: Settings): Effective {
  const authors = layers.map(({ object }) => object);
  const shut = layers.find((one) => one.closed !== undefined)?.closed;
  const [only] = layers;
  if (layers.length === 1)
    return { features: withBound(only!.values, layers), closed: shut, conflict: undefined, authors, layers };
  const given = layers.map((layer) => ({ layer, names: featuresGiven(layer) }));
  const guarding = given.filter(({ names }) => featureList.some(([name, { guard }]) => guard && names.has(name)));
  const plain = unannotated(settings);
  const values: Record<string, unknown> = { ...plain };
  const conflicts: Problem[] = [];
  for (const [name, feature] of featureList) {
    const givers = given.flatMap(({ layer, names }) => (names.has(name) ? [layer] : []));
    // `satisfy` concerns all guards, so every object with a guard has a say.
    const deciding = name === "satisfy" ? guarding.map(({ layer }) => layer) : givers;
    if (deciding.length === 0) continue;
    const value = feature.guard === true ? both(name, feature, deciding) : together(name, deciding, settings);
    if (value !== undefined) values[name] = value;
    else if (feature.guard === true) conflicts.push(conflictOf(name, deciding));
  }
  const features = withBound(values as FeatureValues, layers);
  return { features, closed: shut, conflict: conflicts[0], authors, layers };
}

/**
 * Limits request bodies as those of Ingresses where ModSecurity inspects them, unless one of the
 * objects has a limit: ModSecurity reads a whole body, and its rest is on the disk.
 */
function withBound(values: FeatureValues, layers: readonly SettingsReading[]): FeatureValues {
  const { modsecurity, requestBody } = values;
  const isBound = bytesOf(requestBody.most) > 0 || layers.some(({ texts }) => texts.has("proxy-body-size"));
  if (modsecurity.enable !== true || isBound) return values;
  return { ...values, requestBody: { ...requestBody, most: defaultSettings.proxyBodySize } };
}

/** Returns undefined if they cannot be combined. */
function both(name: keyof FeatureValues, { both: join }: AnyFeature, layers: readonly SettingsReading[]): unknown {
  return layers
    .map(({ values }): unknown => values[name])
    .reduce((inner, outer) => (inner === undefined ? undefined : join?.(inner, outer)));
}

/**
 * Combines the objects key by key, as if one object had all keys. A value that names another object
 * is read in the namespace of the object that has it.
 */
function together(name: keyof FeatureValues, layers: readonly SettingsReading[], settings: Settings): unknown {
  const [inner] = layers;
  if (layers.length === 1) return inner!.values[name];
  const texts = new Map<string, string>();
  let referring: SettingsReading | undefined;
  for (const layer of layers) {
    for (const [key, text] of layer.texts) {
      if (featureOf(key) !== name || texts.has(key)) continue;
      texts.set(key, text);
      if (refers(key)) referring ??= layer;
    }
  }
  const { settings: form, lookup } = referring ?? inner!;
  const annotations = Object.fromEntries([...texts].map(([key, text]) => [`${settingsPrefix}/${key}`, text]));
  const object = { ...form, metadata: { ...form.metadata, annotations } };
  const { values } = readAnnotations(object, settingsPrefix, settings, lookup);
  return name === "customErrors" ? withWiderCodes(values.customErrors, layers, settings) : values[name];
}

/**
 * Returns the error codes. Codes of an outer object do not go to the default-backend of an inner
 * one, just as codes of the ConfigMap do not go to that of an Ingress.
 */
function withWiderCodes(
  errors: FeatureValues["customErrors"],
  layers: readonly SettingsReading[],
  settings: Settings,
): FeatureValues["customErrors"] {
  const has = (key: string) => (layer: SettingsReading) => layer.texts.has(key);
  const [codes, service] = [layers.findIndex(has("custom-http-errors")), layers.findIndex(has("default-backend"))];
  const isWider = codes > service && service >= 0 && !layers[codes]!.texts.has("default-backend");
  return isWider ? { ...errors, own: false, intercepts: !settings.disableProxyInterceptErrors } : errors;
}

function conflictOf(name: keyof FeatureValues, layers: readonly SettingsReading[]): Problem {
  const [inner, ...outer] = layers;
  const [key = ""] = [...inner!.texts.keys()].filter((one) => featureOf(one) === name);
  const others = outer.map(({ object }) => named(object)).join(", ");
  return {
    object: inner!.object,
    kind: "settings-conflict",
    field: `spec.${key}`,
    with: `that of ${others}`,
    done: closed,
  };
}
