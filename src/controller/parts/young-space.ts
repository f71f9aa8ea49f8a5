/**
 * The space of V8's heap for young objects. It stays as small as it starts, because nearly all
 * objects of a small cluster are either dropped at once or kept for long. A start with a hundred
 * thousand hosts copies most objects twice out of so small a space, which takes a tenth of its
 * time. So from a large heap on the space may grow, and several threads collect it, until the start
 * is over.
 */
import { getHeapStatistics, setFlagsFromString } from "node:v8";
import type { Clock } from "../../base/timing/clock.ts";

export interface YoungSpace {
  /** Ends the start: the space becomes small at the next full collection, and stays so. */
  shrink(): void;
}

export interface V8 {
  heapBytes(): number;
  set(flag: string): void;
}

/** The heap of 10,000 hosts, to which a larger space makes no difference, stays below this. */
const largeBytes = 160 * 1024 * 1024;
const lookMs = 100;

/** Keeps the space small until the heap is large. */
export function openYoungSpace(clock: Clock, v8: V8 = ownV8): YoungSpace {
  const look = () => {
    if (v8.heapBytes() < largeBytes) return wait();
    v8.set("--semi-space-growth-factor=2");
    v8.set("--parallel-scavenge");
  };
  let cancel = () => {};
  const wait = () => {
    cancel = clock.schedule(lookMs, look);
  };
  const shrink = () => {
    cancel();
    v8.set("--semi-space-growth-factor=1");
    v8.set("--no-parallel-scavenge");
  };
  shrink();
  wait();
  return { shrink };
}

const ownV8: V8 = {
  heapBytes: () => getHeapStatistics().used_heap_size,
  set: setFlagsFromString,
};
