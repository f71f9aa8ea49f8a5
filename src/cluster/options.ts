/** Options for keeping the Snapshot of a cluster. */
import type { Discoverer, ListWatcher, QueueEvent, ReflectorEvent } from "../kubernetes/index.ts";
import type { Clock } from "../timing/clock.ts";
import type { AssemblerOptions } from "./assembler.ts";
import type { ServedKinds } from "./gateway-kinds.ts";
import type { Watch } from "./watches.ts";

export type ClusterClient = ListWatcher & Discoverer;

export interface ClusterOptions extends AssemblerOptions {
  readonly clock: Clock;
  readonly random: () => number;
  readonly report: (watch: Watch, event: ReflectorEvent) => void;
  /** Called for events of the queue of objects that are read by themselves. */
  readonly queued?: (event: QueueEvent) => void;
  /** The kinds of the Gateway API that there are, at first and when they have changed. */
  readonly kindsFound?: (kinds: ServedKinds) => void;
  /**
   * Kinds that come with it and that the API server refuses; they are asked for again, ever more
   * seldom.
   */
  readonly kindsRefused?: (watches: readonly Watch[]) => void;
}
