/**
 * The header that ends loops of requests. Subrequests to auth services and copies of mirrors list
 * in `X-Sluice-Hops` the Locations that they come from. A Location that finds itself in the list
 * answers 508, however many load balancers and replicas lie between. The names in the list are
 * secret, so clients cannot make them up. A list that is too long is refused.
 *
 * A request that Sluice has sent to a backend carries X-Scheme and X-Forwarded-For. A request that
 * arrives with both gets a dash at the end of the list. So the loop of a plain path that leads back
 * to Sluice ends as well, and backends of ordinary clients never get the header. Lua counts the
 * dashes. Without Lua the check would need an `if` in each server, which takes 7 KB. So the number
 * of dashes doubles at each return there, and nginx refuses the header, as too long, before the
 * fifteenth return.
 */
import { Token } from "./token.ts";

export const hopsHeaderName = "X-Sluice-Hops";

/** The header's name in lower case, for comparisons. */
export const hopsHeader = hopsHeaderName.toLowerCase();

/**
 * The longest accepted list of Locations. Each of them may cause two further requests, so the tree
 * of requests stays small.
 */
export const mostHops = 4;

/** The list for a subrequest or a copy: each hop begins with a comma. */
export const nextHops = Token.conf`$http_x_sluice_hops,$route_hop`;

/**
 * Returns a pattern for the list of a request that has come back to `hop`, or for a list that is
 * too long.
 */
export function comeBack(hop: string): Token {
  return Token.pattern(`${hop}|(?:,[^,]*){${mostHops + 1}}`);
}

/** The number of times that a request may come back from its backends, if Lua counts. */
export const mostReturns = 4;

/** The list that a backend gets if nginx has no Lua (templates/settings/forwarded.tmpl). */
export const hopTrail = Token.variable("hop_trail");

/**
 * The list that a backend gets if a route removes the headers by which Sluice would recognise
 * the request. Here the list begins at the first request.
 */
export const begunTrail = Token.variable("begun_trail");
