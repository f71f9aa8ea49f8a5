/** Facts about a Location that several rooms need. */

import type { Location, WeightedBackend } from "./configuration.ts";
import { fullSentence } from "./problem.ts";

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

/** Returns the name in logs and metrics of an Upstream that stands for one port of a Service. */
export function upstreamLabel(id: string): string {
  return id.replaceAll("/", "-");
}

/**
 * Returns the Service and port of an Upstream, `shop/web:80`, from its id. The id may name the
 * Upstream or the kind of object for which it stands apart: `shop/web/80 for routes`.
 */
export function serviceOfUpstream(id: string): string {
  return id.replace(/ for .*$/, "").replace(/\/([^/]*)$/, ":$1");
}
