/** The views of `upstream` blocks. */

import { isKnownVariable } from "../../kinds/variables.ts";
import type { Balance, Upstream } from "../../model/configuration.ts";
import { addressWithPort } from "../../model/endpoint.ts";
import type { Settings } from "../../settings/registry.ts";
import { Token, type View } from "../../tokens/token.ts";
import { affinityKey } from "../static/affinity.ts";

/**
 * The block for plain HTTP whose peers Lua chooses. It has its name from ingress-nginx, because
 * users' snippets refer to it.
 */
export const balancedBlock = "upstream_balancer";

/** Prefix of the names of blocks whose requests may have a deadline or a number of retries. */
export const limitedBlock = "upstream_limited";

/** Prefix of the names of blocks whose requests have timeouts of their own. */
export const timedBlock = "upstream_timed";

/** Returns the view of a block whose peers Lua chooses. */
export function balancedUpstream(name: string, settings: Settings): View {
  return {
    name: Token.name(name),
    servers: [],
    balancer: true,
    arguments: balancerArguments(name),
    directives: keepalive(settings, settings.upstreamKeepaliveConnections),
  };
}

/** Returns the arguments of `run` in balance.lua. */
function balancerArguments(name: string): View {
  if (name.startsWith(limitedBlock)) return Token.conf`true`;
  return name.startsWith(timedBlock) && Token.conf`false, true`;
}

/**
 * Returns the view of a block for one Upstream (static mode), which must have endpoints. `blocks`
 * is the number of such blocks.
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
    // As in dynamic mode, an endpoint gets requests as long as Kubernetes reports it as ready.
    // Failures do not exclude it.
    servers: endpoints.map(
      ({ address, port }) => Token.conf`${Token.name(addressWithPort({ address, port }))} max_fails=0`,
    ),
    balancer: false,
    arguments: false,
    directives: [...hash, ...keepalive(settings, idleConnections(settings.upstreamKeepaliveConnections, blocks))],
  };
}

/**
 * Returns the name of the block. Names in Kubernetes have no `_`, so two ids never have the same
 * name; ids of canaries have blanks.
 */
export function staticBlock(id: string): string {
  return id.replace(/[/ ]/g, "_");
}

/**
 * Returns the text that is hashed. An undeclared variable becomes plain text, because nginx would
 * refuse the whole configuration because of it. The letter in front ensures that the key is not
 * empty, which nginx treats as a missing key.
 */
function hashKeyOf(balance: Balance): Token | undefined {
  if (balance.algorithm === "hash") {
    const { by, declared = [] } = balance;
    return Token.variables(`k${by}`, (name) => declared.includes(name) || isKnownVariable(name, "http"));
  }
  return balance.algorithm === "cookie" ? affinityKey(balance.cookie).key : undefined;
}

/**
 * The most idle connections of all blocks together. nginx allocates 160 bytes for each, which makes
 * 10 MB.
 */
const idleInAll = 64_000;
/** A setting is not halved below this number. */
const fewestIdle = 8;

/**
 * Returns how many idle connections a worker keeps to the endpoints of one block, for this number
 * of blocks. The setting is meant for one block for everything, as in ingress-nginx and in dynamic
 * mode. It is halved until all blocks fit into memory. It is not divided exactly, so that a block's
 * text stays the same when other blocks are added and removed.
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
