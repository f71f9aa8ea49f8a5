/** The name of a Location in the list of hops that subrequests and copies carry. */

import type { Location, Server } from "../../model/configuration.ts";
import { serverKey } from "../../model/listeners.ts";
import { countOf, holds } from "../../policies/hooks.ts";
import { copiesBy } from "../../policies/mirror/record.ts";
import type { FeatureValues } from "../../policies/registry.ts";
import { hopsOfEach } from "../../tokens/hops.ts";
import { shortHash } from "../../tokens/short-hash.ts";

/**
 * Returns the Location's name in the list, or an empty text if none of its requests can come
 * back. It begins with the commas for its hops that follow the first one. `index` is that of the
 * Location.
 */
export function hopOf(server: Server<FeatureValues>, index: number): string {
  const { locations, routes } = server;
  const location = locations[index]!;
  const { path, owner, ownerUid } = location;
  const others = othersOf(location);
  if (others === 0) return "";
  const isExact = routes.some(({ match, location }) => match === "exact" && location === index);
  const whose = ownerUid ?? `${owner?.namespace ?? ""}/${owner?.name ?? ""}`;
  const name = shortHash(["hop", whose, serverKey(server), path, isExact ? "exact" : ""].join("\0"));
  return ",".repeat(hopsOfEach(others) - 1) + name;
}

/** Returns the most auth requests and copies that one request to the Location causes. */
function othersOf({ features, filters, backends }: Location<FeatureValues>): number {
  const ofFeatures = holds("asksOthers", features, "location") ? countOf("asksOthers", features, "location") : 0;
  const copies = copiesBy(filters) + Math.max(0, ...backends.map((backend) => copiesBy(backend.filters)));
  return ofFeatures + (filters?.auth === undefined ? 0 : 1) + copies;
}
