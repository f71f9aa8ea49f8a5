/**
 * Ends the traffic. nginx closes its listeners and finishes the requests that it has, while health,
 * metrics and `sluice routes` still answer: their parts stand earlier in the list.
 */
import { setTimeout as delay } from "node:timers/promises";
import { endOfPatienceMs } from "../run/ending.ts";
import { type Part, stoppedBy } from "./part.ts";
import type { Program } from "./program.ts";

export interface TrafficTimes {
  /**
   * The time that requests in flight may take. If it is undefined, nginx's
   * worker-shutdown-timeout decides.
   */
  readonly drainMs?: number;
  /** The time between the end of nginx and the end of the program. */
  readonly afterMs: number;
}

export function trafficPart({ ending, running }: Program, { drainMs = endOfPatienceMs, afterMs }: TrafficTimes): Part {
  return {
    name: "traffic",
    start: async () =>
      stoppedBy(async () => {
        await running.started.drain(ending.isFailure ? 0 : drainMs);
        if (!ending.isFailure) await delay(afterMs);
      }),
  };
}
