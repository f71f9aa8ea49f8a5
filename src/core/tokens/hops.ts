/**
 * The header that ends loops of requests, and limits how many requests one request can cause.
 * Subrequests to auth services and copies of mirrors list in `X-Sluice-Hops` the Locations that
 * they come from. A Location that finds itself in the list answers 508, however many load balancers
 * and replicas lie between. The names in the list are secret, so clients cannot make them up.
 *
 * A request that Sluice has sent to a backend carries X-Scheme and X-Forwarded-For. A request that
 * arrives with both gets a dash at the end of the list. So the loop of a plain path that leads back
 * to Sluice ends as well, and backends of ordinary clients never get the header.
 *
 * Commas and dashes together are the hops of a request. A name has a comma before it for each time
 * that its Location doubles the number of requests: one for a single copy, four for 15 copies. So
 * the number of requests is limited, and not only the length of a chain.
 *
 * Lua counts the hops. Without Lua the check of plain paths would need an `if` in each server,
 * which takes 7 KB. So the number of dashes doubles at each return there, and nginx refuses the
 * header, as too long, before the fifteenth return.
 */
import { Token } from "./token.ts";

export const hopsHeaderName = "X-Sluice-Hops";

/** The header's name in lower case, for comparisons. */
export const hopsHeader = hopsHeaderName.toLowerCase();

/**
 * The most hops with which a request is accepted. A Location that causes further requests counts
 * them as well, unless the request has one hop at most: then it comes from a client, or from a
 * proxy in front that sets the same headers.
 */
export const mostHops = 5;

/** Returns the hops of a request with this list. */
export function hopsIn(trail: string): number {
  return trail.match(/[,-]/g)?.length ?? 0;
}

/** Returns the hops of a subrequest or a copy of a Location that causes so many of them. */
export function hopsOfEach(others: number): number {
  return Math.ceil(Math.log2(others + 1));
}

/** The list for a subrequest or a copy. The other commas of a hop are part of `$route_hop`. */
export const nextHops = Token.conf`$http_x_sluice_hops,$route_hop`;

/**
 * Returns a pattern for the list of a request that has come back to `hop`, or that has too many
 * hops.
 */
export function comeBack(hop: string): Token {
  const most = Math.max(mostHops - hopsIn(hop) - 1, 1);
  return Token.pattern(`${hop}|(?:[,-][^,-]*){${most + 1}}`);
}

/** The list that a backend gets if nginx has no Lua (templates/settings/forwarded.tmpl). */
export const hopTrail = Token.variable("hop_trail");

/**
 * The list that a backend gets if a route removes the headers by which Sluice would recognise
 * the request. Here the list begins at the first request.
 */
export const begunTrail = Token.variable("begun_trail");
