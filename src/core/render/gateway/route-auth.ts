/**
 * The nginx text for the auth service of a rule. The service's address and path are data; the
 * headers of the subrequest are text. For a service over gRPC the subrequest goes to a socket of
 * nginx itself, and the server behind it calls the service (nginx/lua/sluice/gateway/check.lua).
 */

import type { RouteTraits } from "../../model/route-traits.ts";
import { tlsOfBlock } from "../../policies/backend-tls/text.ts";
import { nextHops } from "../../tokens/hops.ts";
import type { Header, Place } from "../../tokens/place.ts";
import { Token, type View } from "../../tokens/token.ts";

type Asks = NonNullable<RouteTraits["asks"]>;

/** Idle connections to auth services that a worker keeps. */
const kept = Token.count(32);

const balanced = Token.conf`balancer_by_lua_block { package.loaded["sluice.balance"].pick(ngx.var.route_auth_upstream) }`;

/** The method that is called on every auth service over gRPC. */
const method = Token.name("/envoy.service.auth.v3.Authorization/Check");

/**
 * The beginning of the path of a question over gRPC, before that of the request, so that no request
 * can name a location of the server that calls the service. check.lua removes it.
 */
const ownPath = Token.name("/question");

/** Headers about the connection to a backend. */
const ofConnections = new Set(["host", "connection", "upgrade", "content-length", "transfer-encoding"]);

/**
 * Returns a part of the view of `templates/location.tmpl`. `sent` are the headers that backends
 * get; clients cannot set these names.
 */
export function routeAuthView(asks: Asks, place: Place, sent: readonly Header[], statuses: readonly Token[]): View {
  const { isGrpc = false, headers: names, body } = asks;
  const { to, proxySsl } = serviceOf(asks, place);
  const check = { partial: "route-check", view: { method, to, proxySsl } };
  const target = isGrpc ? Token.conf`http://${place.behindSocket(check).block}${ownPath}` : to;
  // All headers are sent if the rule lists none.
  const all = isGrpc && names.length === 0;
  const own = all
    ? sent.map(({ name }) => String(name).toLowerCase()).filter((name) => !ofConnections.has(name))
    : names;
  const question = {
    headers: headersOf(own, sent, isGrpc, all),
    all,
    verdict: isGrpc,
    proxySsl: isGrpc ? [] : proxySsl,
    to: Token.conf`${target}$route_auth_uri`,
  };
  const refused = isGrpc ? { partial: "route-denied", view: {} } : { partial: "route-refused", view: { statuses } };
  return {
    question: place.beside("uri", { partial: "route-auth", view: question }),
    refused: place.beside("named", refused),
    body,
  };
}

/**
 * Returns the service as `proxy_pass` or `grpc_pass` names it. Each protocol and set of TLS
 * settings has connections of its own.
 */
function serviceOf({ isGrpc, isSecure, tls }: Asks, place: Place) {
  const { proxySsl, apart } = tlsOfBlock(tls, place, isGrpc === true);
  const scheme = `${isGrpc ? "grpc" : "http"}${isSecure || tls !== undefined ? "s" : ""}`;
  const block = Token.name(`sluice_auth${scheme === "http" ? "" : `_${scheme}`}${apart}`);
  place.inHttp(Token.conf`upstream ${block} { server 0.0.0.1; ${balanced} keepalive ${kept}; }`);
  return { to: Token.conf`${Token.name(scheme)}://${block}`, proxySsl };
}

/**
 * Returns the fields of a question over gRPC beside the request. Only the last one may contain any
 * character.
 */
const about = (all: boolean): Token =>
  Token.conf`"$route_auth_upstream|${Token.count(all ? 1 : 0)}|$remote_addr|$remote_port|$server_addr|$pass_port|$pass_access_scheme|$server_protocol|$req_id"`;

function headersOf(names: readonly string[], sent: readonly Header[], isGrpc: boolean, all: boolean): View[] {
  const own = new Map(sent.map(({ name, value }) => [String(name).toLowerCase(), value]));
  const always: readonly (readonly [string, Token])[] = [
    ["Host", Token.variable("best_http_host")],
    ["Connection", Token.text("")],
    ...(isGrpc
      ? [["X-Sluice-Check", about(all)] as const]
      : [["Authorization", Token.variable("http_authorization")] as const]),
    ["X-Sluice-Hops", nextHops],
  ];
  const more = names.map((name): readonly [string, Token] => {
    return [name, own.get(name) ?? Token.variable(`http_${name.replaceAll("-", "_")}`)];
  });
  return [...always, ...more].map(([name, value]) => ({ name: Token.name(name), value }));
}
