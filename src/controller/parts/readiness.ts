/**
 * Readiness is the last part to start and the first to stop. When it stops, the health check begins
 * to fail, and traffic gets time to move elsewhere before anything else stops.
 */
import { setTimeout as delay } from "node:timers/promises";
import type { Instruments } from "./instruments.ts";
import { type Part, stoppedBy } from "./part.ts";
import type { Program } from "./program.ts";

export interface ReadinessTimes {
  /** The time between the end of readiness and the closing of nginx's listeners. */
  readonly graceMs: number;
  /**
   * The time that requests in flight may take. If it is undefined, the setting
   * worker-shutdown-timeout counts.
   */
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
        if (graceMs > 0) await Promise.all([delay(graceMs), running.started.nginx.closeConnections()]);
      }),
  };
}
