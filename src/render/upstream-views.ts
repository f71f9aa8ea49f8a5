/** What the template sees of an `upstream` block. */
import type { Upstream } from "../model/configuration.ts";
import type { Settings } from "../settings/registry.ts";
import { Token, type View } from "./token.ts";

/** The block whose peers the Lua chooses; called as in ingress-nginx, whose users' snippets name it. */
export function balancedUpstream(settings: Settings): View {
  return { name: Token.name("upstream_balancer"), servers: [], balancer: true, directives: keepalive(settings) };
}

/** A block of its own for one Upstream (static mode). It must have endpoints. */
export function staticUpstream({ id, endpoints, balance }: Upstream, settings: Settings): View {
  const hash = balance.algorithm === "hash" ? [line("hash", Token.conf`${hashKey(balance.by)} consistent`)] : [];
  return {
    name: staticUpstreamName(id),
    servers: endpoints.map(({ address, port }) =>
      Token.name(address.includes(":") ? `[${address}]:${port}` : `${address}:${port}`),
    ),
    balancer: false,
    directives: [...hash, ...keepalive(settings)],
  };
}

/** Names of Kubernetes have no `_`, so two ids never meet. */
export function staticUpstreamName(id: string): Token {
  return Token.name(id.replaceAll("/", "_"));
}

function hashKey(text: string): Token {
  return Token.variables(text, () => true);
}

function keepalive(settings: Settings): View[] {
  if (settings.upstreamKeepaliveConnections === 0) return [];
  return [
    line("keepalive", Token.count(settings.upstreamKeepaliveConnections)),
    line("keepalive_time", Token.name(settings.upstreamKeepaliveTime)),
    line("keepalive_timeout", Token.seconds(settings.upstreamKeepaliveTimeout)),
    line("keepalive_requests", Token.count(settings.upstreamKeepaliveRequests)),
  ];
}

function line(name: string, value: Token): View {
  return { name: Token.name(name), value };
}
