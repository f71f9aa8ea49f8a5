/** The messages of `/ui/api/v1/events`: server-sent events, each with one of these as JSON. */
import type { Traffic } from "./routes.ts";

export type ViewName = "overview" | "routes" | "problems" | "certificates" | "gateways" | "shadow";

/** Event `changed`: these views would show something else now. */
export interface ChangedEvent {
  readonly views: readonly ViewName[];
}

/** Event `traffic`: all requests of the last seconds; null while they are not counted. */
export interface TrafficEvent {
  readonly traffic: Traffic | null;
}
