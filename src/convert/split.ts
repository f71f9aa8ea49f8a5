/** Routes that are larger than the Gateway API takes, as several. */
import type { DraftRule } from "./rules.ts";

/** As the definitions of the Gateway API v1.6 have them. */
export const mostMatchesOfRule = 64;
const [mostRules, mostMatches] = [16, 128];

/** Several where one route cannot hold them, in their order. */
export function partsOf(rules: readonly DraftRule[]): readonly (readonly DraftRule[])[] {
  const small = rules.flatMap((rule) => {
    const count = Math.ceil(rule.matches.length / mostMatchesOfRule);
    return Array.from({ length: count }, (_, at) => ({
      ...rule,
      matches: rule.matches.slice(at * mostMatchesOfRule, (at + 1) * mostMatchesOfRule),
    }));
  });
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

/** Equal matches are tried in the order of the names, so numbers have one length. */
export function partName(name: string, at: number, count: number): string {
  return count === 1 ? name : `${name}-${String(at + 1).padStart(String(count).length, "0")}`;
}
