/**
 * The space of V8's heap for young objects. It stays as small as it starts, because nearly all
 * objects of a small cluster are either dropped at once or kept for long; 10 hosts have 94 to 99 MB
 * after a thousand changes, and 124 MB with V8's defaults. A start with a hundred thousand hosts
 * copies most objects twice out of so small a space, and needs half as much CPU again. So from a
 * large heap on the space may grow, and several threads collect it, until the start is over.
 */
import { getHeapStatistics, setFlagsFromString } from "node:v8";
import type { Clock } from "../../base/timing/clock.ts";

export interface V8 {
  heapBytes(): number;
  set(flag: string): void;
}

/** The heap of 10,000 hosts, to which a larger space makes no difference, stays below this. */
const largeBytes = 160 * 1024 * 1024;
const lookMs = 100;

/** Keeps the space small, except while the heap is large and the start lasts. */
export function keepYoungSpaceSmall(clock: Clock, isReady: () => boolean, v8: V8 = ownV8): void {
  const shrink = () => {
    v8.set("--semi-space-growth-factor=1");
    v8.set("--no-parallel-scavenge");
  };
  let isLarge = false;
  const look = () => {
    if (isReady()) return isLarge ? shrink() : undefined;
    if (!isLarge && v8.heapBytes() >= largeBytes) {
      isLarge = true;
      v8.set("--semi-space-growth-factor=2");
      v8.set("--parallel-scavenge");
    }
    clock.schedule(lookMs, look);
  };
  shrink();
  clock.schedule(lookMs, look);
}

const ownV8: V8 = {
  heapBytes: () => getHeapStatistics().used_heap_size,
  set: setFlagsFromString,
};
