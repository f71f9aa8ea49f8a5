/** The live bytes of a process's heap, to see whether something leaks. */
import { setImmediate as turn } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Bytes of live objects, after all finalizers have run. */
export async function liveBytes(): Promise<number> {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  // The first collection only finds what the second can give back.
  for (let round = 0; round < 3; round++) {
    collect();
    await turn();
  }
  return process.memoryUsage().heapUsed;
}
