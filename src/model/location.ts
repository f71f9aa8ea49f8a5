/** What is asked of Locations in many places. */
import type { Location, WeightedBackend } from "./configuration.ts";

/** The first backend, which is the only one unless its owner gives weights. */
export function backendOf({ backends }: Pick<Location<unknown>, "backends">): WeightedBackend {
  return backends[0]!;
}
