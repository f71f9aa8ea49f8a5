/** Facts about a Location that several rooms need. */
import { fullSentence } from "../problem.ts";
import type { Location, WeightedBackend } from "./configuration.ts";

/** Returns the first backend, which is the only one unless the owner gives weights. */
export function backendOf({ backends }: Pick<Location<unknown>, "backends">): WeightedBackend {
  return backends[0]!;
}

/**
 * Returns in one line why all requests to a Location get 503, with the object that causes it; empty
 * if they do not.
 */
export function closedReason({ closed }: Pick<Location<unknown>, "closed">): string {
  return closed === undefined ? "" : fullSentence(closed);
}
