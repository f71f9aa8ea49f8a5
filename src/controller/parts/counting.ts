/** Collects the counts of nginx's workers before their memory is full, and nginx's errors. */
import { repeat } from "../../base/callbacks.ts";
import { takeErrors } from "../../nginx/index.ts";
import type { Instruments } from "./instruments.ts";
import { type Part, stoppedBy } from "./part.ts";
import type { Program } from "./program.ts";

/**
 * Workers can hold the counts of some seconds of heavy traffic, whether or not metrics are scraped.
 */
const collectMs = 2_000;

export function countingPart({ running }: Program, { metrics, failures, notes, history }: Instruments): Part {
  return {
    name: "counting",
    async start() {
      const collecting = repeat("the collection of metrics", collectMs, async () => {
        const before = failures.revision;
        failures.errors(takeErrors(running.nginx.folder.upstreamErrors));
        await metrics.collect();
        history?.tick();
        if (failures.revision !== before) notes.touched();
      });
      return stoppedBy(() => clearInterval(collecting));
    },
  };
}
