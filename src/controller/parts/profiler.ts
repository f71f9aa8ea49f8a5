/**
 * The profiler of `--profiling`. Without the flag the part keeps SIGUSR1 from opening Node's
 * inspector.
 */
import type { OperatorToken } from "../../edges/operator-token.ts";
import { startProfiling, withoutProfiling } from "../../edges/profiler/profiler.ts";
import { orCannotStart, type Part, stoppedBy } from "./part.ts";
import type { Program } from "./program.ts";

export function profilerPart({ flags, log, running }: Program, token: OperatorToken): Part {
  const { profilerAddress: address, profilerPort: port } = flags;
  const inspected = (at: string | undefined): void =>
    log.warn({ address: at }, "Node's inspector is open for this machine until the controller ends");
  return {
    name: "profiler",
    async start() {
      const { data } = running.nginx.folder;
      const opened = flags.profiling
        ? await startProfiling({ address, port, token, folder: data, inspected, host: process })
        : withoutProfiling(process);
      return stoppedBy(orCannotStart(opened).close);
    },
  };
}
