/** The views of `upstream` blocks. */

import { Token, type View } from "../../directives/token.ts";
import { isKnownVariable } from "../../kinds/variables.ts";
import type { Balance, Upstream } from "../../model/configuration.ts";
import { addressWithPort } from "../../model/endpoint.ts";
import type { Settings } from "../../settings/registry.ts";
import { affinityKey } from "../static/affinity.ts";

/**
 * The block for plain HTTP whose peers the Lua chooses; called as in ingress-nginx, whose users'
 * snippets name it.
 */
export const balancedBlock = "upstream_balancer";

/** Prefix of the names of blocks whose requests may have a deadline or a number of retries. */
export const limitedBlock = "upstream_limited";

/** Prefix of the names of blocks whose requests have timeouts of their own. */
export const timedBlock = "upstream_timed";

/** A block whose peers Lua chooses. */
export function balancedUpstream(name: string, settings: Settings): View {
  return {
    name: Token.name(name),
    servers: [],
    balancer: true,
    arguments: balancerArguments(name),
    directives: keepalive(settings, settings.upstreamKeepaliveConnections),
  };
}

/** The arguments of `run` in balance.lua. */
function balancerArguments(name: string): View {
  if (name.startsWith(limitedBlock)) return Token.conf`true`;
  return name.startsWith(timedBlock) && Token.conf`false, true`;
}

/**
 * A block for one Upstream (static mode); `of` is the number of such blocks. It must have
 * endpoints.
 */
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
    // An endpoint gets requests as long as Kubernetes calls it ready, as in dynamic mode: failures
    // exclude none.
    servers: endpoints.map(
      ({ address, port }) => Token.conf`${Token.name(addressWithPort({ address, port }))} max_fails=0`,
    ),
    balancer: false,
    arguments: false,
    directives: [...hash, ...keepalive(settings, idleConnections(settings.upstreamKeepaliveConnections, blocks))],
  };
}

/** Names in Kubernetes have no `_`, so two ids never collide; those of canaries have blanks. */
export function staticBlock(id: string): string {
  return id.replace(/[/ ]/g, "_");
}

/**
 * The text that is hashed. An undeclared variable becomes plain text, because nginx would refuse
 * the whole configuration for it. The letter in front keeps the key from being empty, which nginx
 * treats as no key.
 */
function hashKeyOf(balance: Balance): Token | undefined {
  if (balance.algorithm === "hash") {
    const { by, declared = [] } = balance;
    return Token.variables(`k${by}`, (name) => declared.includes(name) || isKnownVariable(name, "http"));
  }
  return balance.algorithm === "cookie" ? affinityKey(balance.cookie).key : undefined;
}

/** nginx reserves 160 bytes for each idle connection of a block: this number makes 10 MB in all. */
const idleInAll = 64_000;
/** A small setting is at most halved. */
const fewestIdle = 8;

/**
 * How many idle connections a worker keeps to the endpoints of one block, given the number of
 * blocks. The setting is about one block for everything, as in ingress-nginx and in dynamic mode.
 * It is halved until all blocks fit into memory. It is not divided exactly, so that a block's text
 * stays the same while others come and go.
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
