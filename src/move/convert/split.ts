/** Splits objects that are larger than the Gateway API allows. */
import type { DraftRule } from "./rules.ts";

/** The limits in the definitions of the Gateway API v1.6. */
export const mostMatchesOfRule = 64;
const [mostRules, mostMatches] = [16, 128];

/** Returns the parts of a list that have at most so many entries; one part of an empty list. */
export function chunksOf<T>(all: readonly T[], most: number): readonly (readonly T[])[] {
  const count = Math.max(1, Math.ceil(all.length / most));
  return Array.from({ length: count }, (_, at) => all.slice(at * most, (at + 1) * most));
}

/** Returns the rules in their order, as several lists if one route cannot hold them. */
export function partsOf(rules: readonly DraftRule[]): readonly (readonly DraftRule[])[] {
  const small = rules.flatMap((rule) =>
    chunksOf(rule.matches, mostMatchesOfRule).map((matches) => ({ ...rule, matches })),
  );
  const parts: DraftRule[][] = [];
  let matches = 0;
  for (const rule of small) {
    const last = parts.at(-1);
    if (last === undefined || last.length === mostRules || matches + rule.matches.length > mostMatches) {
      parts.push([rule]);
      matches = rule.matches.length;
    } else {
      last.push(rule);
      matches += rule.matches.length;
    }
  }
  return parts;
}

/**
 * Returns the name of a part. Equal matches are tried in the order of routes' names, so all numbers
 * have the same length.
 */
export function partName(name: string, at: number, count: number): string {
  return count === 1 ? name : `${name}-${String(at + 1).padStart(String(count).length, "0")}`;
}
