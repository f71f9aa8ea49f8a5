import type { SharedInformer } from "../kubernetes/index.ts";
import type { KubernetesObject } from "../model/objects.ts";
import type { Watch } from "./watches.ts";

/** A running watch. */
export interface Watched {
  readonly watch: Watch;
  readonly informer: SharedInformer<KubernetesObject>;
  /** The kind cannot be listed, and the controller goes on without it. */
  given: boolean;
  /** The server could not be reached for this kind so far. */
  away: boolean;
  /** Its objects have no effect yet. */
  held: boolean;
  /** Ends it alone. */
  readonly stop: AbortController;
}
