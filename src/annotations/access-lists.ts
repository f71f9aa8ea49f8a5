/**
 * Which clients may use a Location, by address (RS-19). nginx takes the first line that matches:
 * first the denied addresses, then the allowed ones, then a refusal of all others. A location with
 * a list of its own inherits none, so it repeats block-cidrs.
 */

import { Token } from "../directives/token.ts";
import { inBoth } from "../kinds/address-ranges.ts";
import { rangeList } from "../kinds/addresses.ts";
import { feature, field } from "./declare.ts";

const everybody: readonly string[] = ["0.0.0.0/0", "::/0"];

export const accessLists = feature({
  name: "access-lists",
  scope: "location",
  guard: true,
  fields: {
    allow: field({
      key: "allowlist-source-range",
      example: "10.0.0.0/8, 192.0.2.0/24",
      aliases: ["whitelist-source-range"],
      kind: rangeList,
      fallback: (settings) => settings.whitelistSourceRange,
      onBad: "deny",
      emptyIsBad: true,
      risk: "Medium",
      doc: "Only these client addresses and ranges may use the location; others get 403. Replaces the ConfigMap's list.",
    }),
    deny: field({
      key: "denylist-source-range",
      example: "198.51.100.0/24",
      kind: rangeList,
      fallback: (settings) => settings.denylistSourceRange,
      onBad: "deny",
      emptyIsBad: true,
      risk: "Medium",
      doc: "These client addresses and ranges get 403, even if they are allowed too. Replaces the ConfigMap's list.",
    }),
  },
  both: (one, other) => {
    const deny = [...new Set([...one.deny, ...other.deny])];
    if (one.allow.length === 0 || other.allow.length === 0) return { allow: [...one.allow, ...other.allow], deny };
    const allow = inBoth(one.allow, other.allow);
    return allow.length > 0 ? { allow, deny } : { allow: one.allow, deny: everybody };
  },
  view: ({ allow, deny }, { owned }, { blockCidrs }) => {
    if (!owned || (allow.length === 0 && deny.length === 0)) return false;
    const denied = new Set([...blockCidrs, ...deny]);
    return {
      deny: [...denied].map(Token.name),
      allow: [...new Set(allow)].map(Token.name),
      others: allow.length > 0,
    };
  },
});
