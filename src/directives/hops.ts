/**
 * The header that ends loops of requests. Subrequests to auth services and copies of mirrors list
 * in `X-Sluice-Hops` the Locations that they come from. A Location that finds itself in the list
 * answers 508, however many load balancers and replicas lie between. The names in the list are
 * secret, so clients cannot make them up. A list that is too long is refused.
 *
 * A request that Sluice has sent to a backend carries X-Scheme and X-Forwarded-For. One that comes
 * in with these goes on with a dash at the end of the list, so a plain path that leads back to
 * Sluice ends as well, and backends of plain clients never see the header. Lua counts the dashes.
 * Without Lua the check would cost each server an `if`, which is 7 KB, so the dashes double at each
 * return there: nginx refuses the header before the fifteenth.
 */
import { Token } from "./token.ts";

export const hopsHeaderName = "X-Sluice-Hops";

/** In lower case, as headers are compared. */
export const hopsHeader = hopsHeaderName.toLowerCase();

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

/** How often a request may come back from its backends, where Lua counts. */
export const mostReturns = 4;

/** The list that a backend gets, where no Lua counts (templates/settings/forwarded.tmpl). */
export const hopTrail = Token.variable("hop_trail");

/**
 * The list that a backend gets where a route takes away what the next Sluice would know the request
 * by: it begins at once.
 */
export const begunTrail = Token.variable("begun_trail");
