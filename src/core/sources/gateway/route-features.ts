/**
 * Values of the ConfigMap that hold for routes of the Gateway API, too: guards, logs and limits.
 */
import { unannotated } from "../../policies/read.ts";
import type { FeatureValues } from "../../policies/registry.ts";
import { routeSettings } from "../../settings/for-routes.ts";
import type { Settings } from "../../settings/registry.ts";

/** Returns the same object for the same Settings. */
export function routeFeatures(settings: Settings): FeatureValues {
  return unannotated(routeSettings(settings));
}
