/**
 * The header that ends loops of requests. Subrequests to auth services and copies of mirrors list
 * in `X-Sluice-Hops` the Locations that they come from. A Location that finds itself in the list
 * answers 508, however many load balancers and replicas lie between. The names in the list are
 * secret, so clients cannot make them up. A list that is too long is refused.
 */
import { Token } from "./token.ts";

/** In lower case, as headers are compared. */
export const hopsHeader = "x-sluice-hops";

/**
 * The longest accepted list of Locations. Each of them may cause two further requests, so the tree
 * of requests stays small.
 */
export const mostHops = 4;

/** The list for a subrequest or a copy: each hop begins with a comma. */
export const nextHops = Token.conf`$http_x_sluice_hops,$route_hop`;

/** Matches the list of a request that has come back to `hop`, or a list that is too long. */
export function comeBack(hop: string): Token {
  return Token.pattern(`${hop}|(?:,[^,]*){${mostHops + 1}}`);
}
