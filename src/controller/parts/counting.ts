/** Collects the counts of nginx's workers before their memory is full. */
import { repeat } from "../../base/callbacks.ts";
import type { Instruments } from "./instruments.ts";
import { type Part, stoppedBy } from "./part.ts";

/**
 * Workers can hold the counts of some seconds of heavy traffic, whether or not metrics are scraped.
 */
const collectMs = 2_000;

export function countingPart({ metrics }: Instruments): Part {
  return {
    name: "counting",
    async start() {
      const collecting = repeat("the collection of metrics", collectMs, () => metrics.collect());
      return stoppedBy(() => clearInterval(collecting));
    },
  };
}
