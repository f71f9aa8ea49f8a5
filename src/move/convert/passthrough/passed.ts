/**
 * Finds the hosts whose TLS passes through to a Service (`ssl-passthrough`). Whether the Service
 * has endpoints does not matter here, because a folder says nothing about these.
 */

import type { Server } from "../../../core/model/configuration.ts";
import type { Snapshot } from "../../../core/model/snapshot.ts";
import type { FeatureValues } from "../../../core/policies/registry.ts";
import { passedLocation } from "../../../core/sources/streams/servers.ts";
import { servicePortOf } from "../../../core/table/upstreams/endpoints.ts";

/** The target of a host's TLS. */
export interface Passed {
  readonly namespace: string;
  /** The Ingress that has the path `/`. */
  readonly ingress: string;
  readonly service: string;
  readonly port: number;
}

/**
 * Returns the targets by host; none without the flag `--enable-ssl-passthrough`. Hosts whose
 * Service or port is not known are left out, because `whyOfBackends` keeps them.
 */
export function passedHosts(
  servers: Iterable<Server<FeatureValues>>,
  services: Snapshot["services"],
  isEnabled: boolean,
): ReadonlyMap<string, Passed> {
  const found = new Map<string, Passed>();
  if (!isEnabled) return found;
  for (const server of servers) {
    const root = passedLocation(server);
    const { key, service, port } = root?.backends[0] ?? { key: "", service: "", port: "" };
    const declared = services.get(key);
    const number = declared && servicePortOf(declared, port)?.port;
    if (root?.owner === undefined || number === undefined) continue;
    const { namespace, name } = root.owner;
    found.set(server.name, { namespace, ingress: name, service, port: number });
  }
  return found;
}
