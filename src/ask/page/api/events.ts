/** The messages of `/ui/api/v1/events`: server-sent events, each with one of these as JSON. */
import type { Traffic } from "./routes.ts";

export type ViewName = "overview" | "routes" | "problems" | "certificates" | "gateways" | "shadow";

/** Event `changed`: the content of these views has changed. */
export interface ChangedEvent {
  readonly views: readonly ViewName[];
}

/**
 * Event `traffic`: figures of all requests in the last seconds; null while requests are not
 * counted.
 */
export interface TrafficEvent {
  readonly traffic: Traffic | null;
}
