/**
 * The dictionaries of `lua-shared-dicts`. The dictionaries of ingress-nginx's own Lua correspond to
 * the memory of records. This memory grows by itself, so their size is a minimum. Any other name is
 * a dictionary for the Lua of the operator's snippets.
 */

import type { Settings } from "../../settings/registry.ts";
import { Token, type View } from "../../tokens/token.ts";

/** The dictionaries in which ingress-nginx keeps the content of records. */
const records = ["configuration_data", "certificate_data"];

const others = [
  ...["certificate_servers", "ocsp_response_cache", "global_throttle_cache"],
  ...["balancer_ewma", "balancer_ewma_last_touched_at", "balancer_ewma_locks"],
];

/** nginx refuses a smaller dictionary. */
const smallestKilobytes = 8;

/** Returns the least number of bytes for the records. */
export function recordsBytesOf({ luaSharedDicts }: Settings): number {
  const ofRecords = luaSharedDicts.filter(({ name }) => records.includes(name));
  return 1024 * ofRecords.reduce((sum, { kilobytes }) => sum + kilobytes, 0);
}

/**
 * Returns the operator's own dictionaries. If a name occurs twice, the last size counts; Sluice's
 * own names are not available.
 */
export function ownDictionaries({ luaSharedDicts }: Settings): View {
  const own = luaSharedDicts.filter(({ name }) => !isTaken(name));
  const sizes = new Map(own.map(({ name, kilobytes }) => [name, Math.max(smallestKilobytes, kilobytes)]));
  return [...sizes].map(([name, kilobytes]) => ({ name: Token.name(name), size: Token.name(`${kilobytes}k`) }));
}

function isTaken(name: string): boolean {
  return records.includes(name) || others.includes(name) || name.startsWith("sluice_");
}
