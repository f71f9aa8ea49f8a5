/**
 * Annotations for routes: a kind of Sluice's own, whose spec has names of annotations and their
 * values.
 */
import type { KubernetesObject } from "../objects.ts";
import type { PolicyAncestorStatus, PolicyTarget } from "./backend-tls-policy.ts";

export const sluiceGroup = "sluice.dev";
export const routeSettingsVersion = `${sluiceGroup}/v1alpha1`;

export interface RouteSettings extends KubernetesObject {
  readonly kind: "RouteSettings";
  /** The one key that is no name of an annotation is `targetRefs`. */
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly status?: { readonly ancestors?: readonly PolicyAncestorStatus[] };
}

/** The reserved key of the spec. */
export const targetsKey = "targetRefs";

/**
 * The targets that they are attached to, in their own namespace. `sectionName` is a listener or a
 * named rule.
 */
export function targetsOf({ spec }: RouteSettings): readonly PolicyTarget[] {
  const targets = spec?.[targetsKey];
  return Array.isArray(targets) ? targets.filter((one) => typeof one === "object" && one !== null) : [];
}

/** Stands where the prefix of annotations stands on an Ingress. */
export const settingsPrefix = "spec";

/**
 * The object with its values as annotations. Values that are no text, number or boolean are left
 * out.
 */
export function annotatedForm({ apiVersion, kind, metadata, spec = {} }: RouteSettings): KubernetesObject {
  const texts = Object.entries(spec).flatMap(([key, value]) => {
    const text = key === targetsKey ? undefined : textOfValue(value);
    return text === undefined ? [] : [[`${settingsPrefix}/${key}`, text] as const];
  });
  return { apiVersion, kind, metadata: { ...metadata, annotations: Object.fromEntries(texts) } };
}

/** Numbers and booleans are taken as their text. */
export function textOfValue(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  return typeof value === "number" || typeof value === "boolean" ? String(value) : undefined;
}
