/**
 * Limits how often a client may send requests, and how many it may have in flight at once (RS-20).
 * nginx has one zone for each rate, which counts by Ingress or route and client; for routes and in
 * static mode each namespace has its own. So two Ingresses with the same rate do not share a count,
 * but paths and hosts of one Ingress do.
 *
 * Rates of an Ingress are data, and Lua counts requests as nginx does. Connections are counted by
 * nginx alone, because only nginx notices their end.
 */

import { hexRanges } from "../kinds/address-ranges.ts";
import { rangeList } from "../kinds/addresses.ts";
import { integer } from "../kinds/numbers.ts";
import { isVariableName } from "../kinds/variables.ts";
import type { Directive, Place } from "../tokens/place.ts";
import { shortHash } from "../tokens/short-hash.ts";
import { Token } from "../tokens/token.ts";
import { feature, field } from "./declare.ts";

const limit = { kind: integer({ max: 1_000_000_000 }), fallback: () => 0, onBad: "reject" } as const;

interface Limits {
  readonly connections: number;
  readonly perSecond: number;
  readonly perMinute: number;
}

const forLimit = ({ connections, perSecond, perMinute }: Limits) =>
  connections > 0 || perSecond > 0 || perMinute > 0 ? undefined : "no limit is set";

export const rateLimits = feature({
  name: "rate-limits",
  scope: "location",
  fields: {
    connections: field("limit-connections", {
      ...limit,
      example: "10",
      doc: "Requests that one client may have at once; 0 is no limit.",
    }),
    perSecond: field("limit-rps", {
      ...limit,
      example: "5",
      doc: "Requests per second of one client, plus a burst that is served at once; 0 is no limit.",
    }),
    perMinute: field("limit-rpm", {
      ...limit,
      example: "300",
      doc: "Requests per minute of one client, plus a burst that is served at once; 0 is no limit.",
    }),
    burst: field("limit-burst-multiplier", {
      example: "3",
      kind: integer({ min: 1, max: 1000 }),
      fallback: () => 5,
      doc: "Size of the burst, as a multiple of the rate.",
    }),
    exempt: field<readonly string[]>("limit-allowlist", {
      example: "10.0.0.0/8, 192.0.2.7",
      aliases: ["limit-whitelist"],
      kind: rangeList,
      fallback: () => [],
      onBad: "reject",
      doc: "Addresses and ranges of clients that are not counted.",
    }),
  },
  onlyWith: { burst: forLimit, exempt: forLimit },
  variables: ["limits", "limits_spare", "limited"],
  view: ({ connections, perSecond, perMinute, burst, exempt }, place, settings) => {
    if (connections <= 0 && perSecond <= 0 && perMinute <= 0) return false;
    const { limitConnZoneVariable: by, limitReqStatusCode, logFormatUpstream, httpSnippet, serverSnippet } = settings;
    const second: Rate = { value: perSecond, unit: "s", burst };
    const minute: Rate = { value: perMinute, unit: "m", burst };
    const rates = [second, minute].filter(({ value }) => value > 0);
    const isShort = exempt.length <= mostRangesOfRoute;
    // A log format may have the result of nginx's own limit, which Lua cannot set. A limit of the
    // operator holds only where the location has none of nginx's.
    const isAmongLimits = /limit_req/.test(`${logFormatUpstream}${httpSnippet}${serverSnippet}`);
    const isData = place.live && !place.ofGateway && isShort && !isAmongLimits;
    if (isData && rates.length > 0) {
      place.needs("limits");
      keyOf([], by, place);
      place.bind("limits", rates.map(({ value, unit }) => `${value}${unit}${value * burst}`).join(" "));
      if (exempt.length > 0) place.bind("limits_spare", hexRanges(exempt));
    }
    const lines = [
      ...(isData ? [] : rates.map((one) => rate(one, keyOf(exempt, by, place), place))),
      ...(connections > 0 ? [atOnce(connections, keyOf(exempt, by, place), place)] : []),
    ];
    return {
      lines: lines.map((line) => ({ ...line })),
      rates: isData && rates.length > 0 && { status: Token.count(limitReqStatusCode) },
    };
  },
});

/** Whether nginx counts clients in zones, which routes of several namespaces may not share. */
export const hasZones = ({ rateLimits }: { readonly rateLimits: Limits }): boolean =>
  forLimit(rateLimits) === undefined;

/** With a longer list, rates stay text, because each route would have the list in its record. */
const mostRangesOfRoute = 64;

/**
 * Returns the variable that requests are counted by: their Ingress or route, and the client. nginx
 * does not count a request if it is empty.
 */
function keyOf(exempt: readonly string[], by: string, place: Place): Token {
  const client = Token.variables(by, isVariableName);
  const [owner, name] = place.ofGateway ? ["$route", "route_limit_key"] : ["$namespace/$ingress_name", "limit_key"];
  const counted = Token.variables(`${owner} ${by}`, isVariableName);
  const all = Token.variable(name);
  place.inHttp(Token.conf`map ${client} ${all} { "" ""; default ${counted}; }`);
  if (exempt.length === 0) return all;
  const ranges = [...new Set(exempt)].sort();
  const hash = shortHash(ranges.join(), 12);
  const spared = Token.variable(`limit_spares_${hash}`);
  const key = Token.variable(`${name}_${hash}`);
  const lines = Token.words(ranges.map((range) => Token.conf`${Token.name(range)} 1;`));
  place.inHttp(Token.conf`geo ${spared} { default 0; ${lines} }`);
  place.inHttp(Token.conf`map ${spared} ${key} { 0 ${all}; default ""; }`);
  return key;
}

interface Rate {
  readonly value: number;
  readonly unit: "s" | "m";
  /** The burst is the value times this number. */
  readonly burst: number;
}

/**
 * Returns the directive for a rate, and adds its zone. The name of a zone contains all its
 * parameters: nginx refuses two zones of one name with different keys or rates.
 */
function rate({ value, unit, burst }: Rate, key: Token, place: Place): Directive {
  const speed = Token.name(`${value}r/${unit}`);
  const zone = Token.name(`rate_${shortHash(`${key} ${speed} ${place.zonesOf}`.trim(), 12)}`);
  place.inHttp(Token.conf`limit_req_zone ${key} zone=${zone}:10m rate=${speed};`);
  return {
    name: Token.name("limit_req"),
    value: Token.conf`zone=${zone} burst=${Token.count(value * burst)} nodelay`,
  };
}

/**
 * Returns the directive for a number of connections, and adds its zone. nginx's counter ends at
 * 65,535.
 */
function atOnce(value: number, key: Token, place: Place): Directive {
  const zone = Token.name(`connections_${shortHash(`${key} ${place.zonesOf}`.trim(), 12)}`);
  place.inHttp(Token.conf`limit_conn_zone ${key} zone=${zone}:10m;`);
  return { name: Token.name("limit_conn"), value: Token.words([zone, Token.count(Math.min(value, 65_535))]) };
}
