/**
 * All flags of `sluice run` and `sluice serve` in groups. Their order is that of `--help` and of
 * the reference page.
 */
import type { Flag, FlagValues } from "./flag.ts";
import { changes, tls } from "./flags/changes.ts";
import { apiServer, objects } from "./flags/cluster.ts";
import { gatewayApi } from "./flags/gateway.ts";
import { geoip } from "./flags/geoip.ts";
import { information, logging } from "./flags/logging.ts";
import { metrics } from "./flags/metrics.ts";
import { ports } from "./flags/ports.ts";
import { election, status } from "./flags/status.ts";
import { webhook } from "./flags/webhook.ts";

/** Flags by theme; the names are the headings of `--help`. */
export const flagGroups = {
  "The API server": apiServer,
  "What is served": objects,
  "The Gateway API": gatewayApi,
  Ports: ports,
  TLS: tls,
  "Changes, start and end": changes,
  "Status of Ingresses": status,
  "One of several replicas": election,
  "The webhook": webhook,
  Metrics: metrics,
  GeoIP: geoip,
  Logging: logging,
  "About the program": information,
} as const;

export const flags = {
  ...apiServer,
  ...objects,
  ...gatewayApi,
  ...ports,
  ...tls,
  ...changes,
  ...status,
  ...election,
  ...webhook,
  ...metrics,
  ...geoip,
  ...logging,
  ...information,
};

/** The typed values of a command line; every flag has one. */
export type Flags = FlagValues<typeof flags>;

export type Command = "run" | "serve";

export const flagList = Object.entries(flags) as unknown as readonly (readonly [keyof Flags, Flag<unknown>])[];

export function defaultFlags(command: Command): Flags {
  const values = flagList.map(([name, one]) => [name, command === "serve" && "serve" in one ? one.serve : one.default]);
  return Object.fromEntries(values) as Flags;
}
