/**
 * Gives back what only the start needed (code that ran once, lists as they came, what was left over
 * of making the first configuration), and later what a busy time has left. V8 looks for such when
 * much more is allocated, and in a quiet cluster that is never. The controller stands still
 * meanwhile: on a busy machine 31 to 164 ms with ten hosts, and up to 544 ms with ten thousand. So
 * nothing may have changed for a while.
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
  /** What V8 has of the machine for it. */
  bytes(): number;
  collect(): void;
}

const quietMs = 5_000;
/** So much larger than after the last time it is worth standing still. */
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
    // Node has no other way than the flag, and the function is there in new contexts alone.
    setFlagsFromString("--expose-gc");
    const gc = runInNewContext("gc") as (options: object) => void;
    setFlagsFromString("--no-expose-gc");
    // All that can be freed, the compiled form of functions that were not called lately among it.
    gc({ type: "major", execution: "sync", flavor: "last-resort" });
  },
};
