/** Measures the live bytes of this process's heap, to detect leaks. */
import { setImmediate as turn } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Returns the bytes of live objects, after all finalizers have run. */
export async function liveBytes(): Promise<number> {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  // The first collection only finds the objects that the second can free.
  for (let round = 0; round < 3; round++) {
    collect();
    await turn();
  }
  return process.memoryUsage().heapUsed;
}
