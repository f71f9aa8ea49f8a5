/**
 * Finds the settings of answers that nginx gives by itself, such as the redirect that adds a slash.
 * For an Ingress such an answer comes from the Location of the path, so it has the headers that its
 * annotations set.
 */
import { answerShapers } from "../../core/policies/hooks.ts";
import { featureOf } from "../../core/policies/on-routes.ts";
import type { FeatureValues } from "../../core/policies/registry.ts";
import { picked, type Spec } from "./spec.ts";

const features: ReadonlySet<keyof FeatureValues | undefined> = new Set<keyof FeatureValues | undefined>([
  ...answerShapers.map(([name]) => name),
  "logs",
]);

/** Returns the part of the spec that such an answer depends on. */
export function specOfAnswer(spec: Spec): Spec {
  return picked(spec, (key) => features.has(featureOf(key)));
}
