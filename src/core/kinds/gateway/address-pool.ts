/** Addresses for Gateways: single ones and ranges from a first to a last address. */
import { Token } from "../../tokens/token.ts";
import { itemsIn, type Kind, longestText, no, ok, shown, tooManyItems } from "../kind.ts";
import { addressesBetween } from "./address-range.ts";

/** The most addresses in a pool: nginx has to listen on each of them. */
const mostAddresses = 1_024;

export const addressPool: Kind<readonly string[]> = {
  label: "a comma-separated list of IP addresses and ranges like 192.0.2.10-192.0.2.19",
  longest: longestText,
  read: (text) => {
    const parts = itemsIn(text)?.filter((part) => part !== "");
    if (parts === undefined) return no(tooManyItems);
    const all = new Set<string>();
    for (const part of parts) {
      const [first = "", last = first, ...more] = part.split("-").map((one) => one.trim());
      const between = more.length > 0 ? undefined : addressesBetween(first, last, mostAddresses);
      if (between === undefined) {
        return no(`${shown(part)} is neither an IP address nor a range like 192.0.2.10-192.0.2.19`);
      }
      for (const address of between) all.add(address);
      if (all.size > mostAddresses) return no(`the list has more than ${mostAddresses} addresses`);
    }
    return ok([...all]);
  },
  write: (values) => values.join(","),
  view: (values) => values.map(Token.name),
};
