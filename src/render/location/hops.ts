/** The name of a Location in the list of hops that questions and copies carry. */
import type { FeatureValues } from "../../annotations/registry.ts";
import { shortHash } from "../../directives/short-hash.ts";
import type { Server } from "../../model/configuration.ts";

/** Whether requests to a Location make requests that may come back to it. */
export function asksOthers({ externalAuth, mirror }: FeatureValues): boolean {
  return externalAuth.kind === "ask" || mirror.target !== "";
}

/** The name of a Location in the list; empty where nothing of it can come back. `index` is that of the Location. */
export function hopOf({ name, locations, routes }: Server<FeatureValues>, index: number): string {
  const { path, owner, ownerUid, features } = locations[index]!;
  if (!asksOthers(features)) return "";
  const isExact = routes.some(({ match, location }) => match === "exact" && location === index);
  const whose = ownerUid ?? `${owner?.namespace ?? ""}/${owner?.name ?? ""}`;
  return shortHash(["hop", whose, name, path, isExact ? "exact" : ""].join("\0"));
}
