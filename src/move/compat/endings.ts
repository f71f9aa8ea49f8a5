/** The findings for which the exit code is not 0. */
import type { Assessment } from "./assess.ts";

export const endings = ["work", "differs", "unjudged", "nothing"] as const;

export type Ending = (typeof endings)[number];

/** Returns undefined if a word is no such finding. */
export function readEndings(text: string): ReadonlySet<Ending> | undefined {
  const words = text.split(",").map((word) => word.trim());
  return words.every(isEnding) ? new Set(words as Ending[]) : undefined;
}

const isEnding = (word: string): boolean => (endings as readonly string[]).includes(word);

/** Returns 1 for findings that count, else 3 if something could not be judged, else 0. */
export function exitCode({ items, unjudged }: Assessment, failing: ReadonlySet<Ending>): number {
  if (failing.has("nothing")) return 0;
  const isBad = items.some(({ verdict }) => verdict !== "same" && (failing.has(verdict) || failing.has("differs")));
  if (isBad) return 1;
  return failing.has("unjudged") && unjudged.length > 0 ? 3 : 0;
}
