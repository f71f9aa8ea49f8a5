/** Logs that another process uses the port on which nginx queries the endpoints of streams. */

import type { Log } from "../../edges/log/log.ts";
import type { StreamPortEvent } from "../../edges/names/stream-endpoints.ts";

export function streamPortLog(log: Log): (event: StreamPortEvent) => void {
  return ({ port, why }) => {
    log.warn({ port, why }, "streams keep the endpoints that they have until the port is free (--stream-port)");
  };
}
