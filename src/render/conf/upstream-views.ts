/** The template's view of an `upstream` block. */

import { Token, type View } from "../../directives/token.ts";
import { isKnownVariable } from "../../kinds/variables.ts";
import type { Balance, Upstream } from "../../model/configuration.ts";
import type { Settings } from "../../settings/registry.ts";
import { affinityKey } from "../static/affinity.ts";

/**
 * The block for plain HTTP whose peers the Lua chooses; called as in ingress-nginx, whose users'
 * snippets name it.
 */
export const balancedBlock = "upstream_balancer";

/** Begins the names of blocks whose requests may have a deadline or a number of retries. */
export const limitedBlock = "upstream_limited";

/** Begins the names of blocks whose requests have timeouts of their own. */
export const timedBlock = "upstream_timed";

/** A block whose peers the Lua chooses. */
export function balancedUpstream(name: string, settings: Settings): View {
  return {
    name: Token.name(name),
    servers: [],
    balancer: true,
    arguments: balancerArguments(name),
    directives: keepalive(settings, settings.upstreamKeepaliveConnections),
  };
}

/** Those of `run` in balance.lua. */
function balancerArguments(name: string): View {
  if (name.startsWith(limitedBlock)) return Token.conf`true`;
  return name.startsWith(timedBlock) && Token.conf`false, true`;
}

/** A block of its own for one Upstream (static mode), one of so many. It must have endpoints. */
export function staticUpstream(
  name: string,
  { endpoints, balance }: Upstream,
  settings: Settings,
  blocks: number,
): View {
  const by = hashKeyOf(balance);
  const hash = by === undefined ? [] : [line("hash", Token.conf`${by} consistent`)];
  return {
    name: Token.name(name),
    // An endpoint is asked as long as Kubernetes calls it ready, as in dynamic mode: a failure
    // excludes no endpoint.
    servers: endpoints.map(
      ({ address, port }) =>
        Token.conf`${Token.name(address.includes(":") ? `[${address}]:${port}` : `${address}:${port}`)} max_fails=0`,
    ),
    balancer: false,
    arguments: false,
    directives: [...hash, ...keepalive(settings, idleConnections(settings.upstreamKeepaliveConnections, blocks))],
  };
}

/** Names of Kubernetes have no `_`, so two ids never meet; those of canaries have blanks. */
export function staticBlock(id: string): string {
  return id.replace(/[/ ]/g, "_");
}

/**
 * The text that is hashed. An undeclared variable becomes text, because nginx would refuse the
 * whole configuration for it. The letter in front keeps the key from being empty, which nginx takes
 * for none.
 */
function hashKeyOf(balance: Balance): Token | undefined {
  if (balance.algorithm === "hash") {
    const { by, declared = [] } = balance;
    return Token.variables(`k${by}`, (name) => declared.includes(name) || isKnownVariable(name, "http"));
  }
  return balance.algorithm === "cookie" ? affinityKey(balance.cookie).key : undefined;
}

/**
 * nginx sets aside 160 bytes for each idle connection that a block may keep: so many make 10 MB in
 * all.
 */
const idleInAll = 64_000;
/** A block that keeps so few is left with half of them at least. */
const fewestIdle = 8;

/**
 * How many idle connections a worker keeps to the endpoints of one of so many blocks. The setting
 * is about one block that serves everything, as there is in ingress-nginx and in dynamic mode; it
 * is halved until that many blocks fit in memory, and not divided, so that a block's text stays the
 * same while others come and go.
 */
export function idleConnections(most: number, blocks: number): number {
  let each = most;
  while (each > fewestIdle && each * blocks > idleInAll) each = Math.ceil(each / 2);
  return each;
}

function keepalive(settings: Settings, connections: number): View[] {
  if (connections === 0) return [];
  return [
    line("keepalive", Token.count(connections)),
    line("keepalive_time", Token.name(settings.upstreamKeepaliveTime)),
    line("keepalive_timeout", Token.seconds(settings.upstreamKeepaliveTimeout)),
    line("keepalive_requests", Token.count(settings.upstreamKeepaliveRequests)),
  ];
}

function line(name: string, value: Token): View {
  return { name: Token.name(name), value };
}
