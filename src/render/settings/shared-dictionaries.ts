/**
 * What `lua-shared-dicts` asks for. The shared memory of ingress-nginx's own Lua has no counterpart
 * here but for the records, which grow by themselves: there a size is a floor. Any other name is a
 * dictionary for the Lua of the operator's snippets.
 */

import { Token, type View } from "../../directives/token.ts";
import type { Settings } from "../../settings/registry.ts";

/** Where ingress-nginx keeps what the records hold here. */
const records = ["configuration_data", "certificate_data"];

const others = [
  ...["certificate_servers", "ocsp_response_cache", "global_throttle_cache"],
  ...["balancer_ewma", "balancer_ewma_last_touched_at", "balancer_ewma_locks"],
];

/** nginx refuses a smaller one. */
const smallestKilobytes = 8;

/** Bytes that the records get at least. */
export function recordsBytesOf({ luaSharedDicts }: Settings): number {
  const asked = luaSharedDicts.filter(({ name }) => records.includes(name));
  return 1024 * asked.reduce((sum, { kilobytes }) => sum + kilobytes, 0);
}

/**
 * The operator's own dictionaries. A name that comes twice has its last size, and Sluice's own
 * names are taken.
 */
export function ownDictionaries({ luaSharedDicts }: Settings): View {
  const own = luaSharedDicts.filter(({ name }) => !isTaken(name));
  const sizes = new Map(own.map(({ name, kilobytes }) => [name, Math.max(smallestKilobytes, kilobytes)]));
  return [...sizes].map(([name, kilobytes]) => ({ name: Token.name(name), size: Token.name(`${kilobytes}k`) }));
}

function isTaken(name: string): boolean {
  return records.includes(name) || others.includes(name) || name.startsWith("sluice_");
}
