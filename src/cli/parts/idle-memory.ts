/**
 * Frees memory that only the start needed (code that ran once, lists as they arrived, leftovers of
 * the first configuration), and later what a busy time has left behind. V8 frees it only when much
 * more is allocated, which never happens in a quiet cluster. The controller stands still meanwhile:
 * on a busy machine 31 to 164 ms with ten hosts, and up to 544 ms with ten thousand. So it waits
 * until nothing has changed for a while.
 */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Source } from "../../sync/ports.ts";
import type { Clock } from "../../timing/clock.ts";
import { type Part, stoppedBy } from "./part.ts";

export interface IdleMemory {
  readonly source: Pick<Source, "onChange">;
  readonly clock: Clock;
  /** Whether the start is over. */
  readonly isReady: () => boolean;
  readonly heap?: Heap;
}

export interface Heap {
  /** The memory that V8 has from the machine for its heap. */
  bytes(): number;
  collect(): void;
}

const quietMs = 5_000;
/** A heap that has grown this much since the last time is worth the pause. */
const worthwhile = 1.3;

export function idleMemoryPart({ source, clock, isReady, heap = ownHeap }: IdleMemory): Part {
  return {
    name: "memory of idle times",
    async start() {
      let cancel = () => {};
      let left = 0;
      const isQuiet = () => {
        if (!isReady()) return wait();
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
    // Node offers the function only by this flag, and only in new contexts.
    setFlagsFromString("--expose-gc");
    const gc = runInNewContext("gc") as (options: object) => void;
    setFlagsFromString("--no-expose-gc");
    // Everything that can be freed, including the compiled form of functions that were not called
    // lately.
    gc({ type: "major", execution: "sync", flavor: "last-resort" });
  },
};
