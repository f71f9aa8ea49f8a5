/**
 * The auth service of a rule in nginx. Its address and path are data; the headers of the subrequest
 * are text.
 */

import { nextHops } from "../../directives/hops.ts";
import type { Header, Place } from "../../directives/place.ts";
import { Token, type View } from "../../directives/token.ts";
import type { RouteTraits } from "./route-traits.ts";

const block = Token.name("sluice_auth");

/** Idle connections to auth services that a worker keeps. */
const kept = Token.count(32);

const balanced = Token.conf`balancer_by_lua_block { package.loaded["sluice.gateway.auth"].pick() }`;

/**
 * For `templates/location.tmpl`. `sent` are the headers that backends get; clients cannot set these
 * names.
 */
export function routeAuthView(
  asks: NonNullable<RouteTraits["asks"]>,
  place: Place,
  sent: readonly Header[],
  statuses: readonly Token[],
): View {
  place.inHttp(Token.conf`upstream ${block} { server 0.0.0.1; ${balanced} keepalive ${kept}; }`);
  const question = { headers: headersOf(asks.headers, sent), block };
  return {
    question: place.beside("uri", { partial: "route-auth", view: question }),
    refused: place.beside("named", { partial: "route-refused", view: { statuses } }),
    body: asks.body,
  };
}

function headersOf(names: readonly string[], sent: readonly Header[]): View[] {
  const own = new Map(sent.map(({ name, value }) => [String(name).toLowerCase(), value]));
  const always: readonly (readonly [string, Token])[] = [
    ["Host", Token.variable("best_http_host")],
    ["Connection", Token.text("")],
    ["Authorization", Token.variable("http_authorization")],
    ["X-Sluice-Hops", nextHops],
  ];
  const more = names.map((name): readonly [string, Token] => {
    return [name, own.get(name) ?? Token.variable(`http_${name.replaceAll("-", "_")}`)];
  });
  return [...always, ...more].map(([name, value]) => ({ name: Token.name(name), value }));
}
