/**
 * Counts hosts, routes and endpoints of what is served. An open page requests them after each
 * change, so only what differs from the last count is counted again.
 */

import { type Configuration, defaultUpstream, type Server, type Upstream } from "../../core/model/configuration.ts";
import { Table } from "../../core/model/table.ts";
import type { FeatureValues } from "../../core/policies/registry.ts";
import type { Settings } from "../../core/settings/registry.ts";
import type { StatusCounts } from "./api/status.ts";

type Served = Configuration<Settings, FeatureValues>;

export class ServedCounts {
  #servers: Served["servers"] = Table.empty();
  #upstreams: Served["upstreams"] = Table.empty();
  #hosts = 0;
  #routes = 0;
  #endpoints = 0;

  of(served: Served | undefined): Omit<StatusCounts, "problems" | "quarantined"> {
    if (served === undefined) return { hosts: 0, routes: 0, endpoints: 0, certificates: 0, gateways: 0, streams: 0 };
    const { servers, upstreams, listenerPorts, certificates, defaultCertificate, streams } = served;
    for (const { before, after } of servers.changesSince(this.#servers)) {
      this.#routes += (after?.locations.length ?? 0) - (before?.locations.length ?? 0);
      this.#hosts += ownedIn(after) - ownedIn(before);
    }
    for (const { before, after } of upstreams.changesSince(this.#upstreams))
      this.#endpoints += endpointsIn(after) - endpointsIn(before);
    this.#servers = servers;
    this.#upstreams = upstreams;
    const gateways = new Set<string>();
    for (const { listeners } of listenerPorts.values()) for (const { gateway } of listeners) gateways.add(gateway);
    return {
      hosts: this.#hosts,
      routes: this.#routes,
      endpoints: this.#endpoints,
      // The default certificate is served if no other fits, and may be one of them.
      certificates: certificates.size + (certificates.has(defaultCertificate.id) ? 0 : 1),
      gateways: gateways.size,
      streams: streams.length,
    };
  }
}

/** Returns 1 for a host with a path of an object. The catch-all alone has none. */
function ownedIn(server: Server<FeatureValues> | undefined): number {
  return Number(server?.locations.some(({ owner }) => owner !== undefined) ?? false);
}

function endpointsIn(upstream: Upstream | undefined): number {
  return upstream === undefined || upstream.id === defaultUpstream ? 0 : upstream.endpoints.length;
}
