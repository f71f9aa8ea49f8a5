/**
 * Requests that come back. A question to an auth service and the copy of a mirror carry in `X-Sluice-Hops` where they come from,
 * so a Location that is asked on its own behalf ends the loop with 508, however many load balancers and replicas lie between.
 * A name in the list is a hash of the Ingress's UID, which clients do not know. Who writes such a header anyway, or a list that
 * is too long, is refused: no mirror and no question is left out because of it.
 */
import type { FeatureValues } from "../annotations/registry.ts";
import type { Server } from "../model/configuration.ts";
import { shortHash } from "./short-hash.ts";
import { Token } from "./token.ts";

/** In lower case, as headers are compared. */
export const hopsHeader = "x-sluice-hops";

/** Locations that a request may have come by: each of them may ask twice, so the tree of questions stays small. */
export const mostHops = 4;

/** What a question or a copy says: each hop begins with a comma. */
export const nextHops = Token.conf`$http_x_sluice_hops,$route_hop`;

/** Whether requests to a Location make requests that may come back to it. */
export function asksOthers({ externalAuth, mirror }: FeatureValues): boolean {
  return externalAuth.kind === "ask" || mirror.target !== "";
}

/** The name of a Location in the list; empty where nothing of it can come back. `index` is that of the Location. */
export function hopOf({ name, locations, routes }: Server<FeatureValues>, index: number): string {
  const { path, ingress, features } = locations[index]!;
  if (!asksOthers(features)) return "";
  const isExact = routes.some(({ match, location }) => match === "exact" && location === index);
  const owner = ingress.uid ?? `${ingress.namespace}/${ingress.name}`;
  return shortHash(["hop", owner, name, path, isExact ? "exact" : ""].join("\0"));
}

/** What the list of a request looks like that has come back, or has come too far. */
export function comeBack(hop: string): Token {
  return Token.pattern(`${hop}|(?:,[^,]*){${mostHops + 1}}`);
}
