/** Options for keeping the Snapshot of a cluster. */

import type { Clock } from "../../base/timing/clock.ts";
import type { Discoverer, ListWatcher, QueueEvent, ReflectorEvent } from "../../kube/index.ts";
import type { AssemblerOptions } from "./assembler.ts";
import type { ServedKinds } from "./gateway-kinds.ts";
import type { Watch } from "./watches.ts";

export type ClusterClient = ListWatcher & Discoverer;

export interface ClusterOptions extends AssemblerOptions {
  readonly clock: Clock;
  readonly random: () => number;
  readonly report: (watch: Watch, event: ReflectorEvent) => void;
  /** Called for events of the queue of objects that are fetched one by one. */
  readonly queued?: (event: QueueEvent) => void;
  /**
   * Called with the kinds of the Gateway API that the cluster has, at the start and after each
   * change.
   */
  readonly kindsFound?: (kinds: ServedKinds) => void;
  /**
   * Called with kinds that the API server has but refuses to list. They are tried again at growing
   * intervals.
   */
  readonly kindsRefused?: (watches: readonly Watch[]) => void;
}
