import type { KubernetesObject } from "../../core/model/objects.ts";
import type { SharedInformer } from "../../kube/index.ts";
import type { Watch } from "./watches.ts";

/** A running watch. */
export interface Watched {
  readonly watch: Watch;
  readonly informer: SharedInformer<KubernetesObject>;
  /** Whether the controller goes on without the kind, because it cannot be listed. */
  given: boolean;
  /** Whether the server could not be reached for this kind so far. */
  away: boolean;
  /** Whether its objects have no effect yet. */
  held: boolean;
  /** Ends this watch alone. */
  readonly stop: AbortController;
}
