/** Refuses clients on all hosts, by address, User-Agent or Referer. */

import type { Settings } from "../../settings/registry.ts";
import { Token, type View } from "../../tokens/token.ts";
import { mapLines } from "./map-lines.ts";

/**
 * Returns the view of `templates/settings/blocked.tmpl` in the http block and of
 * `blocked-server.tmpl` in each server.
 */
export function blockedView({ blockCidrs, blockUserAgents, blockReferers }: Settings): View {
  return {
    ranges: blockCidrs.map(Token.name),
    userAgents: blockUserAgents.length > 0 && { patterns: mapLines(blockUserAgents) },
    referers: blockReferers.length > 0 && { patterns: mapLines(blockReferers) },
  };
}
