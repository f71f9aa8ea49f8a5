/**
 * Decides by address which clients may use a Location (RS-19). nginx takes the first line that
 * fits: first the denied addresses, then the allowed ones, then a line that refuses all others. A
 * location with a list of its own inherits none, so block-cidrs is restated in it.
 *
 * An Ingress's own lists are data where no other check identifies clients. Lua checks lists at the
 * end of nginx's access phase, after all other checks, but these lists have to come first.
 */

import { hexRanges, inBoth } from "../kinds/address-ranges.ts";
import { rangeList } from "../kinds/addresses.ts";
import { Token } from "../tokens/token.ts";
import { feature, field, ofSetting } from "./declare.ts";

/** Longer lists stay text, because each route would have them in its record. */
const mostRangesOfRoute = 64;

const everybody: readonly string[] = ["0.0.0.0/0", "::/0"];

export const accessLists = feature({
  name: "access-lists",
  scope: "location",
  guard: true,
  fields: {
    allow: field("allowlist-source-range", {
      example: "10.0.0.0/8, 192.0.2.0/24",
      aliases: ["whitelist-source-range"],
      kind: rangeList,
      fallback: (settings) => settings.whitelistSourceRange,
      onBad: "deny",
      emptyIsBad: true,
      risk: "Medium",
      doc: "Only these client addresses and ranges may use the location; others get 403. Replaces the ConfigMap's list.",
    }),
    deny: ofSetting("denylistSourceRange", {
      example: "198.51.100.0/24",
      kind: rangeList,
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
  variables: ["access"],
  view: ({ allow, deny }, place, { blockCidrs, whitelistSourceRange, denylistSourceRange }) => {
    if (!place.owned || (allow.length === 0 && deny.length === 0)) return false;
    const isOwn = String(allow) !== String(whitelistSourceRange) || String(deny) !== String(denylistSourceRange);
    const isShort = allow.length + deny.length <= mostRangesOfRoute;
    if (place.live && !place.ofGateway && !place.identifies && isOwn && isShort) {
      place.bind("access", [deny, allow].map(hexRanges).join("|"));
      return { live: true };
    }
    const denied = new Set([...blockCidrs, ...deny]);
    return {
      live: false,
      deny: [...denied].map(Token.name),
      allow: [...new Set(allow)].map(Token.name),
      others: allow.length > 0,
    };
  },
});
