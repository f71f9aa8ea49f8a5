/** The name of a Location in the list of hops that questions and copies carry. */
import { isSaid } from "../../annotations/hooks.ts";
import type { FeatureValues } from "../../annotations/registry.ts";
import { shortHash } from "../../directives/short-hash.ts";
import type { Server } from "../../model/configuration.ts";
import { serverKey } from "../../model/listeners.ts";

/** The name of a Location in the list; empty where nothing of it can come back. `index` is that of the Location. */
export function hopOf(server: Server<FeatureValues>, index: number): string {
  const { locations, routes } = server;
  const { path, owner, ownerUid, features } = locations[index]!;
  if (!isSaid("asksOthers", features, "location")) return "";
  const isExact = routes.some(({ match, location }) => match === "exact" && location === index);
  const whose = ownerUid ?? `${owner?.namespace ?? ""}/${owner?.name ?? ""}`;
  return shortHash(["hop", whose, serverKey(server), path, isExact ? "exact" : ""].join("\0"));
}
