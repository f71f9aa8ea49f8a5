/** The name of a Location in the list of hops that subrequests and copies carry. */
import { holds } from "../../annotations/hooks.ts";
import type { FeatureValues } from "../../annotations/registry.ts";
import { shortHash } from "../../directives/short-hash.ts";
import type { Location, Server } from "../../model/configuration.ts";
import type { Filters } from "../../model/filters.ts";
import { serverKey } from "../../model/listeners.ts";

/**
 * Returns the Location's name in the list, or an empty text if none of its requests can come
 * back. `index` is that of the Location.
 */
export function hopOf(server: Server<FeatureValues>, index: number): string {
  const { locations, routes } = server;
  const location = locations[index]!;
  const { path, owner, ownerUid, features } = location;
  if (!holds("asksOthers", features, "location") && !asksByRoute(location)) return "";
  const isExact = routes.some(({ match, location }) => match === "exact" && location === index);
  const whose = ownerUid ?? `${owner?.namespace ?? ""}/${owner?.name ?? ""}`;
  return shortHash(["hop", whose, serverKey(server), path, isExact ? "exact" : ""].join("\0"));
}

/** Whether a route copies its requests, or has an auth service. */
function asksByRoute({ filters, backends }: Location<FeatureValues>): boolean {
  return filters?.auth !== undefined || isCopied(filters) || backends.some((backend) => isCopied(backend.filters));
}

function isCopied(filters: Filters | undefined): boolean {
  return filters?.mirrors !== undefined && filters.mirrors.length > 0;
}
