/** Logs that another process uses the port on which nginx queries the endpoints of streams. */
import type { StreamPortEvent } from "../names/stream-endpoints.ts";
import type { Log } from "./log.ts";

export function streamPortLog(log: Log): (event: StreamPortEvent) => void {
  return ({ port, why }) => {
    log.warn({ port, why }, "streams keep the endpoints that they have until the port is free (--stream-port)");
  };
}
