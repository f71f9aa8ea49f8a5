/**
 * Readiness, the last part to start and so the first to stop: the health check fails from then on,
 * and traffic gets the time to go elsewhere before anything else stops.
 */
import { setTimeout as delay } from "node:timers/promises";
import type { Instruments } from "./instruments.ts";
import { type Part, stoppedBy } from "./part.ts";
import type { Program } from "./program.ts";

export interface ReadinessTimes {
  /** From the end of being healthy until nginx closes its listeners. */
  readonly graceMs: number;
  /** How long requests in flight may take; the setting worker-shutdown-timeout where undefined. */
  readonly drainMs?: number;
}

export function readinessPart(program: Program, { health }: Instruments, { graceMs, drainMs }: ReadinessTimes): Part {
  const { log, ending, running } = program;
  return {
    name: "readiness",
    start: async () =>
      stoppedBy(async () => {
        health.end();
        if (ending.isFailure) return;
        const { configuration } = running.started.sync;
        const within = drainMs === undefined ? configuration?.settings.workerShutdownTimeout : `${drainMs / 1000}s`;
        log.info({ because: ending.signal.reason, within }, "ending; requests in flight are finished");
        await delay(graceMs);
      }),
  };
}
