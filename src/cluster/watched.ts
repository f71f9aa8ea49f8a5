import type { SharedInformer } from "../kubernetes/index.ts";
import type { KubernetesObject } from "../model/objects.ts";
import type { Watch } from "./watches.ts";

/** A watch that runs. */
export interface Watched {
  readonly watch: Watch;
  readonly informer: SharedInformer<KubernetesObject>;
  /** It cannot be had, and things go on without it. */
  given: boolean;
  /** The server could not be reached for it, and has not been since. */
  away: boolean;
  /** Its content does not count yet. */
  held: boolean;
  /** Ends it alone. */
  readonly stop: AbortController;
}
