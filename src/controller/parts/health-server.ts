/**
 * The server for kubelet, Prometheus and `POST /stop`. It answers from the start of the controller
 * until its very end.
 */

import { build } from "../../base/version.ts";
import { openHealthServer } from "../../edges/health/server.ts";
import type { OperatorToken } from "../../edges/operator-token.ts";
import type { Instruments } from "./instruments.ts";
import type { PageRequests } from "./page.ts";
import { orCannotStart, type Part, stoppedBy } from "./part.ts";
import type { Program } from "./program.ts";

/**
 * Makes the part with the server. `page` answers below `/ui`. `moreMetrics` are those of the
 * Kubernetes client in Prometheus format.
 */
export function healthServer(
  { flags, ending }: Program,
  { health, metrics }: Instruments,
  token: OperatorToken,
  page: PageRequests | undefined,
  moreMetrics: () => Promise<string> = async () => "",
): Part {
  return {
    name: "health server",
    async start() {
      const server = await openHealthServer({
        port: flags.healthzPort,
        host: flags.healthzHost,
        healthPath: flags.healthCheckPath,
        health,
        metrics: async () => {
          const { contentType, text } = await metrics.exposition();
          return { contentType, text: `${text}${await moreMetrics()}` };
        },
        build,
        token,
        ...(page === undefined ? {} : { page }),
        stop: () => ending.because("POST /stop"),
      });
      return stoppedBy(orCannotStart(server).close);
    },
  };
}
