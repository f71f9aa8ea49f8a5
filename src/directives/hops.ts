/**
 * The header that ends loops of requests. A question to an auth service and the copy of a mirror
 * carry in `X-Sluice-Hops` the Locations that they come from. A Location that finds itself in the
 * list answers 508, however many load balancers and replicas lie between. Clients do not know the
 * names in the list. A list that is too long is refused.
 */
import { Token } from "./token.ts";

/** In lower case, as headers are compared. */
export const hopsHeader = "x-sluice-hops";

/**
 * The longest list of Locations that is accepted. Each of them may ask twice, so the tree of
 * requests stays small.
 */
export const mostHops = 4;

/** The list that a question or a copy carries: each hop begins with a comma. */
export const nextHops = Token.conf`$http_x_sluice_hops,$route_hop`;

/** Matches the list of a request that has come back to `hop`, or that is too long. */
export function comeBack(hop: string): Token {
  return Token.pattern(`${hop}|(?:,[^,]*){${mostHops + 1}}`);
}
