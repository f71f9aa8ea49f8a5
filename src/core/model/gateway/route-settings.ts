/**
 * RouteSettings, Sluice's own kind for annotations of routes. Its spec has names of annotations and
 * their values.
 */
import { isMapping, type Mapping } from "../mapping.ts";
import type { KubernetesObject } from "../objects.ts";
import type { PolicyAncestorStatus, PolicyTarget } from "./backend-tls-policy.ts";

export const sluiceGroup = "sluice.dev";
export const routeSettingsVersion = `${sluiceGroup}/v1alpha1`;

export interface RouteSettings extends KubernetesObject {
  readonly kind: "RouteSettings";
  /** Every key except `targetRefs` is the name of an annotation. */
  readonly spec?: Mapping;
  readonly status?: { readonly ancestors?: readonly PolicyAncestorStatus[] };
}

/** The reserved key of the spec. */
export const targetsKey = "targetRefs";

/**
 * Returns the targets to which they are attached, in their own namespace. `sectionName` is a
 * listener or a named rule.
 */
export function targetsOf(settings: RouteSettings): readonly PolicyTarget[] {
  const targets = specOf(settings)[targetsKey];
  return Array.isArray(targets) ? targets.filter((one) => typeof one === "object" && one !== null) : [];
}

/** Whether the reserved key has a value that is not a list of targets. */
export function hasUnknownTargets(settings: RouteSettings): boolean {
  const targets = specOf(settings)[targetsKey] ?? [];
  return !Array.isArray(targets) || targetsOf(settings).length < targets.length;
}

/**
 * Returns the spec; an empty one if it is not a mapping. A newer version may have written
 * another shape.
 */
export function specOf({ spec }: RouteSettings): Mapping {
  return isMapping(spec) ? spec : {};
}

/** Takes the place of the annotations' prefix on an Ingress. */
export const settingsPrefix = "spec";

/**
 * Returns the object with its values as annotations. Values that are not a text, number or boolean
 * are left out.
 */
export function annotatedForm(settings: RouteSettings): KubernetesObject {
  const { apiVersion, kind, metadata } = settings;
  const texts = Object.entries(specOf(settings)).flatMap(([key, value]) => {
    const text = key === targetsKey ? undefined : textOfValue(value);
    return text === undefined ? [] : [[`${settingsPrefix}/${key}`, text] as const];
  });
  return { apiVersion, kind, metadata: { ...metadata, annotations: Object.fromEntries(texts) } };
}

/** Returns the value as text; numbers and booleans are converted. */
export function textOfValue(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  return typeof value === "number" || typeof value === "boolean" ? String(value) : undefined;
}
