/** Facts about a Location that several rooms need. */
import { named, sentence } from "../problem.ts";
import type { Location, WeightedBackend } from "./configuration.ts";

/** The first backend, which is the only one unless its owner gives weights. */
export function backendOf({ backends }: Pick<Location<unknown>, "backends">): WeightedBackend {
  return backends[0]!;
}

/**
 * Why all requests to a Location get 503, with the object at fault, in one line; empty where they
 * do not.
 */
export function closedReason({ closed }: Pick<Location<unknown>, "closed">): string {
  return closed === undefined ? "" : `${named(closed.object)}: ${sentence(closed)}`;
}
