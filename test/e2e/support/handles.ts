/** What a process holds on to, to see whether something leaks. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

export interface Handles {
  readonly sockets: number;
  readonly timers: number;
}

export function handles(): Handles {
  const all = process.getActiveResourcesInfo();
  const count = (kind: string) => all.filter((name) => name === kind).length;
  return { sockets: count("TCPSocketWrap"), timers: count("Timeout") };
}

/** Bytes of live objects. */
export function liveBytes(): number {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  // Twice: the first collection only finds what the second can give back.
  collect();
  collect();
  return process.memoryUsage().heapUsed;
}
