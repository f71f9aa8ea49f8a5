/**
 * Patterns as lines of a `map`. nginx refuses a text that is there twice, whatever the case of its
 * letters.
 */

import type { View } from "../../directives/token.ts";
import { mapPattern } from "../../kinds/patterns.ts";

export function mapLines(patterns: readonly string[]): View {
  const byText = new Map(
    patterns.map((pattern) => [pattern.startsWith("~") ? pattern : pattern.toLowerCase(), pattern]),
  );
  return [...byText.values()].map((pattern) => mapPattern.view(pattern));
}
