/**
 * Copies of requests over TLS or HTTP/2. Lua makes the copies, but can use neither of these. So it
 * sends them to a server of nginx itself, through a socket. Each way of sending has such a server.
 */

import type { CopyWay } from "../../model/filters.ts";
import { tlsOfBlock } from "../../policies/backend-tls/text.ts";
import type { Place } from "../../tokens/place.ts";
import { Token, type View } from "../../tokens/token.ts";

const balanced = Token.conf`balancer_by_lua_block { package.loaded["sluice.balance"].pick(ngx.var.http_x_sluice_copy) }`;

/**
 * Returns a part of the view of `templates/location.tmpl`: the variables, numbered from 1 on, and
 * their sockets.
 */
export function copySockets(ways: readonly CopyWay[], place: Place): View {
  return ways.map((way, at) => ({
    variable: Token.variable(`route_copy_${at + 1}`),
    socket: socketFor(way, place),
  }));
}

/**
 * Returns the socket of a way. nginx keeps TLS sessions by upstream block, so each set of
 * directives has a block of its own.
 */
function socketFor({ isHttp2, isSecure, tls }: CopyWay, place: Place): Token {
  const { proxySsl, apart } = tlsOfBlock(tls, place, isHttp2 === true);
  const scheme = `${isHttp2 === true ? "grpc" : "http"}${isSecure === true ? "s" : ""}`;
  const block = Token.name(`sluice_copy_${scheme}${apart}`);
  place.inHttp(Token.conf`upstream ${block} { server 0.0.0.1; ${balanced} }`);
  const to = Token.conf`${Token.name(scheme)}://${block}`;
  return place.behindSocket({ partial: "route-copy", view: { isHttp2: isHttp2 === true, to, proxySsl } }).socket;
}
