/**
 * Frees memory that only the start needed (code that ran once, lists as they arrived, leftovers of
 * the first configuration), and later the leftovers of busy times. V8 frees it only when much more
 * is allocated, which never happens in a quiet cluster. The controller stands still meanwhile: on a
 * busy machine 31 to 164 ms with ten hosts, and up to 544 ms with ten thousand. So this part waits
 * until nothing has changed for a while.
 */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Clock } from "../../base/timing/clock.ts";
import type { Source } from "../../core/sync/ports.ts";
import { type Part, stoppedBy } from "./part.ts";
import type { YoungSpace } from "./young-space.ts";

export interface IdleMemory {
  readonly source: Pick<Source, "onChange">;
  readonly clock: Clock;
  /** Whether the start is over. */
  readonly isReady: () => boolean;
  readonly young: YoungSpace;
  readonly heap?: Heap;
}

export interface Heap {
  /** Returns the memory that V8 has from the machine for its heap. */
  bytes(): number;
  collect(): void;
}

const quietMs = 5_000;
/** The pause is worthwhile if the heap has grown by this factor since the last time. */
const worthwhile = 1.3;

export function idleMemoryPart({ source, clock, isReady, young, heap = ownHeap }: IdleMemory): Part {
  return {
    name: "memory of idle times",
    async start() {
      let cancel = () => {};
      let left = 0;
      const isQuiet = () => {
        if (!isReady()) return wait();
        young.shrink();
        if (heap.bytes() < worthwhile * left) return;
        heap.collect();
        left = heap.bytes();
      };
      const wait = () => {
        cancel();
        cancel = clock.schedule(quietMs, isQuiet);
      };
      const stop = source.onChange(wait);
      wait();
      return stoppedBy(() => {
        stop();
        cancel();
      });
    },
  };
}

export const ownHeap: Heap = {
  bytes: () => process.memoryUsage().heapTotal,
  collect() {
    // Node has the function `gc` only with this flag, and only in contexts that are made after it
    // was set.
    setFlagsFromString("--expose-gc");
    const gc = runInNewContext("gc") as (options: object) => void;
    setFlagsFromString("--no-expose-gc");
    // Everything that can be freed, including the compiled form of functions that were not called
    // lately.
    gc({ type: "major", execution: "sync", flavor: "last-resort" });
  },
};
