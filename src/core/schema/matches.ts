/** The limit of matches in a route, which its definition states in CEL. */
import { mostMatches } from "../model/gateway/limits.ts";
import { type Check, fine, wrong } from "./findings.ts";

/** Limits the matches of all rules together. A rule without matches counts as `ofNone`. */
export function fewMatches(ofNone: number): Check {
  return (value) => {
    const rules = value as readonly { readonly matches?: readonly unknown[] }[];
    const count = rules.reduce((sum, { matches }) => sum + (matches?.length ?? ofNone), 0);
    return count > mostMatches
      ? wrong([], `they have ${count} matches together, and ${mostMatches} are the most`)
      : fine;
  };
}
